# SPDX-License-Identifier: MIT
"""The site that scripts/site built, in a real browser: every page opens, with its title, its styles and all of its images, and
nothing is complained about; some are looked at.

    site_test.py BUILD_FOLDER_OF_THE_PROJECT
"""

import functools
import http.server
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from PIL import Image

SITE = Path(sys.argv.pop(1)).resolve() / "site" if len(sys.argv) > 1 else Path("build/site").resolve()
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0")

# Opens the pages one after the other in a frame and notes what it sees there.
LOOKER = """<!doctype html><title>looker</title><iframe id="frame" width="1200" height="900"></iframe><script>
const pages = PAGES, seen = [];
async function look(page) {
  const frame = document.getElementById("frame");
  await new Promise(done => { frame.onload = done; frame.src = page; });
  const inside = frame.contentDocument;
  seen.push({page, title: inside.title, heading: (inside.querySelector("h1") || {}).innerText || "",
             words: inside.body.innerText.split(/\\s+/).length,
             styled: getComputedStyle(inside.body).fontFamily !== getComputedStyle(document.body).fontFamily,
             broken: [...inside.images].filter(image => !image.naturalWidth).map(image => image.src)});
}
(async () => { for (const page of pages) await look(page);
  await fetch("seen", {method: "POST", body: JSON.stringify(seen)}); })();
</script>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    missing = []
    seen = queue.Queue()

    def do_POST(self):
        self.seen.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        if self.path == "/looker.html":
            pages = sorted(str(p.relative_to(SITE)) for p in SITE.rglob("*.html") if "cpp" not in p.parts and p.name != "404.html")
            body = LOOKER.replace("PAGES", json.dumps([*pages, "cpp/index.html", "cpp/annotated.html"])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def log_message(self, *words):
        pass

    def log_error(self, form, *words):
        if self.path != "/favicon.ico":
            self.missing.append(self.path)


@unittest.skipIf(CHROMIUM is None, "no browser: scripts/install-deps --test installs chromium")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert (SITE / "index.html").exists(), f"{SITE} has no site; scripts/site builds it"
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.root = f"http://127.0.0.1:{cls.server.server_port}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.folder.cleanup()

    def command(self, address, *flags):
        return [CHROMIUM, *FLAGS, f"--user-data-dir={self.folder.name}/profile", *flags, f"{self.root}/{address}"]

    def test_every_page_opens_with_all_its_images(self):
        log = Path(self.folder.name) / "log"
        with log.open("w") as complaints_file:
            browser = subprocess.Popen(self.command("looker.html", "--remote-debugging-port=0"), stdout=subprocess.DEVNULL,
                                       stderr=complaints_file)  # with the port it stays until it is told to go
            try:
                seen = json.loads(Quiet.seen.get(timeout=180))
            except queue.Empty:
                self.fail(f"the browser said nothing in 180 s: {log.read_text()[-2000:]}")
            finally:
                browser.terminate()
                browser.wait(60)
        self.assertGreater(len(seen), 25)
        for page in seen:
            self.assertEqual(page["broken"], [], page["page"])
            self.assertTrue(page["title"] and (page["heading"] or page["page"].startswith("cpp/")), page)
            self.assertTrue(page["styled"], page["page"])
            self.assertGreater(page["words"], 30, page["page"])
        complaints = [line for line in log.read_text().splitlines() if "Uncaught" in line or ("CONSOLE" in line and "rror" in line)]
        self.assertEqual(complaints, [])
        self.assertEqual(Quiet.missing, [], "asked for and not there")

    def looked_at(self, page, size):
        path = Path(self.folder.name) / f"{page.replace('/', '-')}-{size[0]}.png"
        done = subprocess.run(self.command(page, f"--screenshot={path}", f"--window-size={size[0]},{size[1]}"), capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        picture = Image.open(path).convert("RGB")
        self.assertEqual(picture.size, size)
        keep = SITE.parent / "site-screenshots"
        keep.mkdir(exist_ok=True)
        shutil.copyfile(path, keep / path.name)
        return picture

    def test_pages_are_not_blank_and_fit_a_telephone(self):
        for page, size in (("index.html", (1280, 900)), ("tutorials/pictures.html", (1280, 1400)), ("cli-reference.html", (1280, 900)),
                           ("python-reference.html", (400, 800))):
            picture = self.looked_at(page, size)
            colours = picture.getcolors(maxcolors=1 << 24)
            commonest = max(count for count, _ in colours)
            self.assertGreater(len(colours), 30, page)
            self.assertLess(commonest, 0.97 * size[0] * size[1], f"{page} is nearly blank")

    def test_the_tutorial_shows_its_figure(self):
        text = (SITE / "tutorials" / "pictures.html").read_text(encoding="utf-8")
        self.assertIn('src="pictures.png"', text)
        self.assertTrue((SITE / "tutorials" / "pictures.png").exists())

    def test_reference_pages_are_made_of_the_program_and_the_package(self):
        cli = (SITE / "cli-reference.html").read_text(encoding="utf-8")
        for word in ("--max-iterations", 'id="update"', "--candidates"):
            self.assertIn(word, cli)
        python = (SITE / "python-reference.html").read_text(encoding="utf-8")
        for word in ('id="partial_fit"', 'id="tensorcompleter"', "random_state", "unshrunk"):
            self.assertIn(word, python)
        self.assertIn("TopFinder", (SITE / "cpp" / "annotated.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
