"""What mkdocs does not do by itself to docs/ as GitHub shows it."""

import logging
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/rlvet/rlvet/blob/main/"
CHANGELOG = "CHANGELOG.md"

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)

# The rules' pages are not in the menu, and mkdocs would name each of them.
logging.getLogger("mkdocs.structure.nav").setLevel(logging.WARNING)


def on_files(files, config):
    """The changelog of the root is a page, too."""
    files.append(File(CHANGELOG, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_read_source(page, config):
    """A page that is generated says so in its first line, in which mkdocs looks for the title."""
    return COMMENT.sub("", Path(page.file.abs_src_path).read_text(encoding="utf-8"))


def on_page_markdown(markdown, page, config, files):
    """A link to a file that is no part of the site leads to the repository; a rule's page, which the
    menu does not have, leads back to all rules."""
    folder = Path(page.file.abs_src_path).parent.relative_to(ROOT).as_posix()
    if folder == "docs/rules" and page.file.name != "index":
        markdown = f"[← All rules](README.md)\n\n{markdown}"

    def lead(link):
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        if not target.startswith("docs/"):
            return REPOSITORY + target
        return link[1] if folder != "." else target[len("docs/") :]  # the changelog lies beside docs, its page in it

    return LINK.sub(lead, markdown)
