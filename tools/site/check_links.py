#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at every page of a folder of HTML: each link, image, script and style leads to a file that is there, each #name to a
place that has it; nothing is loaded from elsewhere.

    check_links.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}
        for attribute in ("href", "src"):
            if given.get(attribute) and given.get("rel") not in ("canonical", "preconnect"):
                self.links.append((tag, attribute, given[attribute]))


def problems(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        made_by_doxygen = "cpp" in path.relative_to(folder).parts
        for tag, attribute, address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if (tag, attribute) in LOADS and parts.scheme not in ("data", "javascript"):
                    yield f"{path}: loads {address} from elsewhere"
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            if path.name == "404.html":
                continue  # its links begin at the root of a server
            if not target.exists():
                yield f"{path}: {address} leads nowhere"
            elif parts.fragment and target in pages and not made_by_doxygen and unquote(parts.fragment) not in pages[target].names:
                yield f"{path}: {address}: no place of that name"
    if not pages:
        yield f"{folder}: no page"


def main():
    folder = Path(sys.argv[1]).resolve()
    found = list(problems(folder))
    for line in found:
        print(line, file=sys.stderr)
    pages = len(list(folder.rglob("*.html")))
    print(f"check_links: {pages} pages, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
