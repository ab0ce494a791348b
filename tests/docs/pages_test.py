# SPDX-License-Identifier: MIT
"""Every block of shell and of Python in the documentation is run, or says why not.

    pages_test.py            looks at all pages: which blocks there are, and that few are left out
    pages_test.py PAGE       runs the blocks of one
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import run_page  # noqa: E402

ROOT = run_page.ROOT
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CHANGELOG.md", ROOT / "python" / "README.md", ROOT / "bench" / "RESULTS.md",
         *sorted((ROOT / "docs").rglob("*.md"))]  # fmt: skip
NOT_RUN = 3  # blocks in all pages that need more than a test may take; a new one has to be argued for
LANGUAGES = {"", "sh", "console", "python", "cpp", "text"}  # a block in a language that is not known would not be run unseen


class Pages(unittest.TestCase):
    def test_every_block_is_of_a_known_kind(self):
        for page in PAGES:
            for block in run_page.blocks_of(page):
                self.assertIn(block.language, LANGUAGES, f"{page}:{block.line}")

    def test_few_blocks_are_not_run(self):
        left_out = [f"{page}:{block.line}: {block.reason}" for page in PAGES for block in run_page.blocks_of(page) if block.reason]
        self.assertLessEqual(len(left_out), NOT_RUN, "\n".join(left_out))

    def test_every_page_that_has_blocks_is_a_test(self):
        with_blocks = [page for page in PAGES if any(block.language in run_page.RUN for block in run_page.blocks_of(page))]
        listed = (ROOT / "tests" / "docs" / "CMakeLists.txt").read_text()
        self.assertIn("docs/*.md", listed)
        self.assertIn(ROOT / "docs" / "tutorials" / "links.md", with_blocks)
        for page in with_blocks:
            name = page.relative_to(ROOT).as_posix()
            self.assertTrue(name.startswith("docs/") or name in listed, name)

    def test_a_wrong_page_is_found_out(self):
        from tempfile import TemporaryDirectory

        wrong = {
            "```sh\nfalse\n```\n": "exit code 1",
            "```sh\ntrue | false | true\n```\n": "exit code 1",
            "```console\n$ echo one\ntwo\n```\n": "and it prints\none",
            "```python\nassert 1 == 2\n```\n": "AssertionError",
            "```python\nprint('a')\n```\n\n```text\nb\n```\n": "and it prints\na",
            "```sh\ntrue\n": "does not end",
            "<!-- not run: -->\n```sh\ntrue\n```\n": "needs a reason",
            "![figure](figure.png)\n": "the figure figure.png is not there",
        }
        with TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            for text, sentence in wrong.items():
                page.write_text(text)
                with self.assertRaises(run_page.Wrong, msg=text) as caught:
                    run_page.run_page(page)
                self.assertIn(sentence, str(caught.exception), text)
            page.write_text("```python\nx = 1\n```\ntext\n```sh\necho 2 > two\n```\n```python\nassert x + int(open('two').read()) == 3\n```\n")
            self.assertEqual(run_page.run_page(page), (3, []))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        sys.exit(run_page.main())
    unittest.main()
