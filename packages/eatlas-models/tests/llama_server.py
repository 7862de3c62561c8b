"""The server of llama.cpp in a process of its own: ``python -m tests.llama_server FILE PORT``."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from subprocess import PIPE, Popen

from tests.inputs import ROOT


class LlamaServer:
    """llama.cpp with a GGUF file, which answers two requests at a time until it is killed."""

    def __init__(self, file: Path, log: Path) -> None:
        self.file, self.log, self.port = file, log, 0
        self.start()

    def start(self) -> None:
        """Begin to serve, at the port of before."""
        command = [sys.executable, "-m", "tests.llama_server", str(self.file), str(self.port)]
        with self.log.open("a") as log:
            self.process = Popen(command, cwd=ROOT, stdout=PIPE, stderr=log, text=True)
        address = self.process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), self.log.read_text()
        self.port = int(address.rpartition(":")[2])

    def kill(self) -> None:
        """End at once, in the middle of whatever it does."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def spec(self) -> str:
        """Its source string."""
        return f"chat:{self.address}?model=smollm2&parallel=2"


def main(file: str, port: str) -> None:
    """Serve a file; the first line that is printed is the address."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = file, {"smollm2"}
    params.hostnames, params.port = ["127.0.0.1"], int(port)
    params.n_ctx, params.n_parallel, params.use_jinja = 2048, 2, True
    # two threads that wait for each other are many times slower where others work too
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
