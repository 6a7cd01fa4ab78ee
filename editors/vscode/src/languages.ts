// What rlvet checks.
import { DocumentSelector } from "vscode-languageclient/node";

export const documents: DocumentSelector = [
  { language: "python" },
  { language: "yaml" },
  { language: "toml" },
  { language: "shellscript" },
  { language: "json" },
  { notebook: "jupyter-notebook", language: "python" },
];

const languages = new Set(["python", "yaml", "toml", "shellscript", "json"]);

// checked reports whether rlvet says something of texts of a language.
export const checked = (language: string): boolean => languages.has(language);
