# SPDX-License-Identifier: MIT
"""Places where files cannot be as usual: full and read-only disks, limits, pipes, devices, links, names."""
import contextlib
import os
import resource
import subprocess
import threading

from world import COMMANDS, LACUNA, OLD, TIMED, TIMEOUT, Finding, World


@contextlib.contextmanager
def small_disk(size, tell):
    """A file system of its own, or None where that needs more rights than there are."""
    import tempfile

    folder = tempfile.mkdtemp(prefix="lacuna-disk-")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True).returncode == 0
    if not mounted:
        tell("no small disk could be mounted here (that needs root); limits on the file size stand in for it")
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


class Places:
    def __init__(self, world, tell):
        self.world, self.tell = world, tell

    def attempt(self, world, name, expected, old, **settings):
        world.prepare(name, old)
        done = world.run(*COMMANDS[name][0], **settings)
        if done.returncode not in expected:
            raise Finding(f"{name}: exit {done.returncode}, expected one of {expected}: {done.stderr[-300:]}")
        world.check(name, done.returncode, done.stderr, old)
        return done

    def file_size_limits(self, steps):
        """Every output is cut at several sizes."""
        count = 0
        for name in COMMANDS:
            largest = max(map(len, self.world.whole_outputs(name).values()))
            for step in range(steps):
                limit = largest * step // steps

                def lower(limit=limit):
                    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

                self.attempt(self.world, name, (0, 6), step % 2 == 0, preexec_fn=lower)
                count += 1
        self.tell(f"limits on the size of files: {count} runs")
        return count

    def full_disks(self, steps):
        """The disk has room for the inputs and then for 0, 1, 2, ... pages more."""
        count = 0
        with small_disk("2m", self.tell) as disk:
            if disk is None:
                return 0
            world = World(disk)
            try:
                for name in COMMANDS:
                    world.whole_outputs(name)
                    world.prepare(name, False)
                    for pages in range(steps):
                        world.clean()
                        filler = world.folder / "filler"
                        self.fill(filler, disk, pages)
                        world.inputs["filler"] = filler.read_bytes()
                        try:
                            done = world.run(*COMMANDS[name][0])
                            if done.returncode not in (0, 6):
                                raise Finding(f"{name} on a disk with {pages} pages left: exit {done.returncode}: {done.stderr[-300:]}")
                            world.check(name, done.returncode, done.stderr, False)
                        finally:
                            del world.inputs["filler"]
                            filler.unlink()
                        count += 1
            finally:
                world.close()
        self.tell(f"full disks: {count} runs")
        return count

    @staticmethod
    def fill(path, disk, pages_left):
        free = os.statvfs(disk)
        with open(path, "wb") as filler:
            filler.write(b"\0" * max(0, (free.f_bavail - pages_left) * free.f_bsize))

    def read_only(self):
        count = 0
        with small_disk("2m", self.tell) as disk:
            if disk is None:
                return 0
            world = World(disk)
            try:
                for name in COMMANDS:
                    world.whole_outputs(name)
                    world.prepare(name)
                    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
                    try:
                        done = world.run(*COMMANDS[name][0])
                        if done.returncode != 6:
                            raise Finding(f"{name} on a read-only disk: exit {done.returncode}: {done.stderr[-300:]}")
                        world.check(name, done.returncode, done.stderr)
                    finally:
                        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
                    count += 1
            finally:
                world.close()
        self.tell(f"read-only disks: {count} runs")
        return count

    def strange_outputs(self):
        """/dev/full, folders, missing folders, names that are too long: refused by name, before or after the work."""
        count = 0
        (self.world.folder / "folder").mkdir(exist_ok=True)
        try:
            for name, (words, outputs) in COMMANDS.items():
                for strange in ("/dev/full", "folder", "no/such/place", "x" * 300, ""):
                    for output in (output for output in outputs if output in words):
                        done = self.world.run(*(strange if word == output else word for word in words))
                        if done.returncode not in (2, 3, 6) or "lacuna: " not in done.stderr:
                            raise Finding(f"{name} with {strange!r} for {output}: exit {done.returncode}: {done.stderr[-300:]}")
                        self.world.clean()
                        if self.world.contents() != self.world.inputs:
                            raise Finding(f"{name} with {strange!r} for {output}: an input was changed")
                        count += 1
        finally:
            (self.world.folder / "folder").rmdir()
        self.tell(f"strange outputs: {count} runs")
        return count

    def links(self):
        """Through links: what they point to is written, they stay; other names of an old file keep the old content."""
        count = 0
        for name, (words, outputs) in COMMANDS.items():
            whole = self.world.whole_outputs(name)
            self.world.clean()
            folder = self.world.folder
            for output in outputs:
                if output == "s.jsonl":
                    continue
                (folder / f"target-{output}").write_bytes(OLD)
                os.link(folder / f"target-{output}", folder / f"other-{output}")
                (folder / output).symlink_to(f"target-{output}")
            done = self.world.run(*words)
            if done.returncode != 0:
                raise Finding(f"{name} through links: exit {done.returncode}: {done.stderr[-300:]}")
            for output in outputs:
                if output == "s.jsonl":
                    continue
                if not (folder / output).is_symlink() or (folder / f"other-{output}").read_bytes() != OLD:
                    raise Finding(f"{name}: a link was replaced, or another name's file changed")
                written = (folder / f"target-{output}").read_bytes()
                if written != whole[output] and output not in TIMED:
                    raise Finding(f"{name}: what is written through a link differs")
            self.world.clean()
            count += 1
        self.tell(f"links: {count} runs")
        return count

    def piped_inputs(self):
        """The first input comes through a pipe: as good as a file, or refused by name."""
        count = 0
        folder = self.world.folder
        for name, (words, _) in COMMANDS.items():
            self.world.whole_outputs(name)
            self.world.prepare(name)
            given = words[1]
            pipe = folder / f"pipe-{given}"
            os.mkfifo(pipe)

            def feed(pipe=pipe, content=self.world.inputs[given]):
                with contextlib.suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as out:
                    out.write(content)

            feeder = threading.Thread(target=feed)
            feeder.start()
            done = self.world.run(words[0], pipe.name, *words[2:])
            with contextlib.suppress(OSError):  # nobody may have opened it for reading
                os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
            feeder.join()
            if done.returncode not in (0, 3):
                raise Finding(f"{name} from a pipe: exit {done.returncode}: {done.stderr[-300:]}")
            self.world.check(name, done.returncode, done.stderr)
            count += 1
        self.tell(f"inputs through pipes: {count} runs")
        return count

    def pipes(self):
        """Outputs that go into a pipe."""
        count = 0
        folder = self.world.folder
        for name, (words, outputs) in COMMANDS.items():
            whole = self.world.whole_outputs(name)
            output = outputs[0]
            if output == "s.jsonl":
                continue
            self.world.clean()
            os.mkfifo(folder / output)
            got = []
            reader = threading.Thread(target=lambda path=folder / output, got=got: got.append(path.read_bytes()))
            reader.start()
            done = subprocess.run([LACUNA, *words], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
            if done.returncode != 0:  # nobody may have opened it for writing
                with contextlib.suppress(OSError):
                    os.close(os.open(folder / output, os.O_WRONLY | os.O_NONBLOCK))
            reader.join()
            if done.returncode not in (0, 6) or (done.returncode == 0 and got[0] != whole[output]):
                raise Finding(f"{name} into a pipe: exit {done.returncode}, {len(got[0])} bytes: {done.stderr[-300:]}")
            self.world.clean()
            count += 1
        self.tell(f"pipes: {count} runs")
        return count
