# SPDX-License-Identifier: MIT
"""Several machines played by this one: network namespaces with a name and an address of their own, on one bridge.

Nothing outside of them is touched: the bridge is in a namespace, too. Needs the rights to make them (root); mpirun
reaches the others by way of an agent that stands for ssh.
"""
import os
import subprocess
import sys
from pathlib import Path

NETWORK = "10.213.7"
OPTIONS = ("--mca", "plm_rsh_agent", f"{sys.executable} {Path(__file__).resolve()}", "--mca", "plm_rsh_no_tree_spawn", "1",
           "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", f"{NETWORK}.0/24",
           "--mca", "oob_tcp_if_include", f"{NETWORK}.0/24",
           # A machine that is gone is missed after a few seconds.
           "--mca", "oob_tcp_keepalive_time", "2", "--mca", "oob_tcp_keepalive_intvl", "1",
           "--mca", "oob_tcp_keepalive_probes", "3", "--mca", "orte_keep_fqdn_hostnames", "1")  # fmt: skip


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def space(host):
    return f"lacuna-{host}"


def inside(host, *command):
    """The command as it runs on that host, numbered from 1."""
    name = f'hostname host{host} && exec "$@"'
    return ["ip", "netns", "exec", space(host), "unshare", "--uts", "sh", "-c", name, "sh", *command]


class Hosts:
    def __init__(self, count):
        self.count = count

    def __enter__(self):
        try:
            ip("netns", "add", space("hub"))
            ip("-n", space("hub"), "link", "add", "bridge", "type", "bridge")
            ip("-n", space("hub"), "link", "set", "bridge", "up")
            for host in range(1, self.count + 1):
                self.add(host)
        except subprocess.CalledProcessError as problem:
            self.__exit__()
            raise PermissionError(problem.stderr.strip()) from None
        return self

    def add(self, host):
        ip("netns", "add", space(host))
        ip("-n", space("hub"), "link", "add", f"port{host}", "type", "veth", "peer", "name", "eth0", "netns", space(host))
        ip("-n", space("hub"), "link", "set", f"port{host}", "master", "bridge", "up")
        ip("-n", space(host), "address", "add", f"{NETWORK}.{host}/24", "dev", "eth0")
        ip("-n", space(host), "link", "set", "eth0", "up")
        ip("-n", space(host), "link", "set", "lo", "up")

    def __exit__(self, *_):
        for host in (*range(1, self.count + 1), "hub"):
            for pid in self.processes(host):
                os.kill(pid, 9)
            subprocess.run(["ip", "netns", "delete", space(host)], check=False, capture_output=True)

    @staticmethod
    def processes(host):
        done = subprocess.run(["ip", "netns", "pids", space(host)], check=False, capture_output=True, text=True)
        return [int(word) for word in done.stdout.split()]

    def cut_off(self, host):
        """No packet reaches that host any more, nor leaves it."""
        ip("-n", space("hub"), "link", "set", f"port{host}", "down")

    def without_the_last(self):
        """The same machines but one; who made them takes them away."""
        return Hosts(self.count - 1)

    def mpirun(self, *command):
        """A process on each host; mpirun itself is on the first."""
        hosts = ",".join(f"{NETWORK}.{host}:1" for host in range(1, self.count + 1))
        return inside(1, "mpirun", "-q", *OPTIONS, "--host", hosts, "-n", str(self.count), *command)


if __name__ == "__main__":  # in place of ssh: ADDRESS COMMAND...
    address, words = sys.argv[1], sys.argv[2:]
    command = inside(address.rsplit(".", 1)[1], "sh", "-c", " ".join(words))
    os.execvp(command[0], command)
