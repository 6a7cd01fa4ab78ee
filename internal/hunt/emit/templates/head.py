{{define "head"}}{{range .Imports}}import {{.}}
{{end}}from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
{{with .Above}}sys.path.insert(0, str({{.}}))
{{end}}
{{- if .Definitions}}

def definitions(path):
    """Returns what a script defines: its imports, functions, classes and constants. The rest,
    which trains when the script is imported, is not run."""
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [n for n in tree.body if isinstance(n, kept) or isinstance(n, ast.Assign) and not any(isinstance(x, ast.Call) for x in ast.walk(n))]
    module = sys.modules[path.stem] = types.ModuleType(path.stem)
    exec(compile(tree, str(path), "exec"), vars(module))
    return module


{{.Alias}} = definitions({{.Path}})
{{- with .Class}}
{{.}} = {{$.Alias}}.{{.}}
{{- end}}
{{else if .Class}}
from {{.Import}} import {{.Class}}  # noqa: E402
{{else}}
import {{.Import}}{{if ne .Import .Alias}} as {{.Alias}}{{end}}  # noqa: E402
{{end}}{{end}}
