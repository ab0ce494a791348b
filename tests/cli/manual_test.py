# SPDX-License-Identifier: MIT
"""The manual page and the completion scripts: all verbs and flags are in them, and shells take them."""
import re
import shutil
import subprocess
import unittest

from support import CliTest

SHELLS = ("bash", "zsh", "fish")


class Pages(CliTest):
    def flags(self):
        """{verb: its long flags, as its help has them}"""
        verbs = re.findall(r"^  (\w+) +", self.ok("--help").split("Subcommands:")[1], re.MULTILINE)
        self.assertGreater(len(verbs), 12)
        return {verb: set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", self.ok(verb, "--help"), re.MULTILINE)) for verb in verbs}

    def test_man_page_has_every_flag(self):
        page = self.ok("man").replace("\\-", "-")
        sections = dict(re.findall(r"^\.SS (\S+)\n(.*?)(?=^\.S[SH])", page, re.MULTILINE | re.DOTALL))
        for verb, flags in self.flags().items():
            for flag in flags:
                self.assertIn(f"\\fB{flag}\\fR", sections[verb], verb)

    def test_man_page_has_the_flags_before_the_verb(self):
        page = self.ok("man").replace("\\-", "-")
        for word in ("--config", "--version", "-V", "help ", ".SH EXAMPLES", ".SH SEE ALSO"):
            self.assertIn(word, page)
        self.assertIn("; unless given: medium", page)

    def test_help_fits_a_terminal_and_says_defaults(self):
        text = self.ok("help", "fit")
        self.assertLessEqual(max(len(line) for line in text.splitlines() if line.startswith(" " * 30)), 101)
        self.assertIn("unless given: medium", " ".join(text.split()))
        self.assertEqual(self.ok("help", "help"), self.ok("--help"))

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_man_page_is_one(self):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=self.ok("man"), capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("129, 130, 143", self.ok("man"))
        self.assertIn("EXIT STATUS", re.sub(".\b", "", done.stdout).replace("\x1b[1m", "").replace("\x1b[0m", ""))

    def test_scripts_have_every_flag(self):
        for shell in SHELLS:
            script = self.ok("completion", shell)
            for verb, flags in self.flags().items():
                for flag in flags:
                    self.assertIn(f" -l {flag[2:]}" if shell == "fish" else flag, script, f"{shell}: {verb}")

    def completed(self, *words):
        """What bash offers for the last word."""
        self.write("script", self.ok("completion", "bash"))
        line = " ".join(f"'{word}'" for word in ("lacuna", *words))
        command = f"source ./script; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _lacuna; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-u", "-c", command], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.completed("co"), ["complete", "convert", "completion"])
        self.assertEqual(self.completed("help", "sp"), ["split"])
        self.assertEqual(self.completed("fit", "a.tns", "--max-"), ["--max-iterations", "--max-time"])
        self.assertIn("geomcg", self.completed("fit", "a.tns", "--method", ""))
        self.assertEqual(self.completed("fit", "a.tns", "--effort", "m"), ["medium"])
        self.assertEqual(self.completed("split", "--format", "np"), ["npy", "npz"])
        self.assertEqual(self.completed("completion", "z"), ["zsh"])
        self.assertEqual(self.completed("fit", "tra"), [])  # names of files are the shell's own work
        self.assertEqual(self.completed("fit", "a.tns", "-o", "--m"), [])
        self.assertEqual(self.completed("--con"), ["--config"])
        self.assertEqual(self.completed("--config", "a"), [])
        self.assertEqual(self.completed("--config", "a.ini", "sp"), ["split"])
        self.assertEqual(self.completed("--config", "a.ini", "fit", "--effort", "m"), ["medium"])
        self.assertEqual(self.completed("--config", "=", "a.ini", "fit", "--effort", "m"), ["medium"])

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish_completes(self):
        self.write("lacuna.fish", self.ok("completion", "fish"))

        def completed(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source lacuna.fish; complete -C '{line}'"], cwd=self.folder,
                                  capture_output=True, text=True, env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"})
            self.assertEqual(done.stderr, "")
            return [one.split("\t")[0] for one in done.stdout.splitlines()]

        self.assertEqual(sorted(completed("lacuna co")), ["complete", "completion", "convert"])
        self.assertIn("--max-iterations", completed("lacuna fit a.tns --max-"))
        self.assertEqual(completed("lacuna fit a.tns --effort m"), ["medium"])
        self.assertEqual(completed("lacuna --con"), ["--config"])
        self.assertEqual(completed("lacuna hel"), ["help"])

    def test_zsh_knows_the_flags_before_the_verb(self):
        script = self.ok("completion", "zsh")
        for word in ("--config", "--version", "-V", "at=4"):
            self.assertIn(word, script)

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_takes_it(self):
        self.write("_lacuna", self.ok("completion", "zsh"))
        done = subprocess.run(["zsh", "-f", "-c", "autoload -U compinit; compinit -u -d dump; source ./_lacuna; print $_comps[lacuna]"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.stderr, done.stdout), ("", "_lacuna\n"))

    def test_an_unknown_shell_is_refused(self):
        self.assertIn("shell", self.fails(2, "completion", "tcsh"))


if __name__ == "__main__":
    unittest.main()
