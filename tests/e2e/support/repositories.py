"""Repositories made by the tests: of git, plain and with git's own server program, and of Debian packages."""

import gzip
import hashlib
import os
import subprocess

PACKAGE_COUNT = 12


def run(command, environment, **options):
    """Runs to success; what it says is part of the error otherwise. Returns its standard output."""
    options.setdefault("timeout", 300)
    options.setdefault("input", b"")
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, **options)
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise AssertionError(f"{command[0]} ended with {done.returncode}: {said[-2000:]}")
    return done.stdout


def make_git_repository(folder, environment):
    """A bare repository with a few commits, one of them large. Returns the id of its head."""
    environment = {
        **environment,
        **{
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Test"), ("EMAIL", "test@test.example"))
        },
    }
    work = folder / "work"
    run(["git", "init", "-q", "-b", "main", work], environment)
    for number in range(5):
        (work / f"file{number}").write_bytes(os.urandom(300_000) if number == 3 else b"text %d\n" % number)
        run(["git", "-C", work, "add", "."], environment)
        run(["git", "-C", work, "commit", "-q", "-m", f"commit {number}"], environment)
    bare = folder / "bare.git"
    run(["git", "clone", "-q", "--bare", work, bare], environment)
    run(["git", "-C", bare, "config", "http.receivepack", "true"], environment)
    run(["git", "-C", bare, "update-server-info"], environment)
    return run(["git", "-C", bare, "rev-parse", "HEAD"], environment).decode().strip()


def git_backend_route(prefix, folder, environment):
    """A route that runs `git http-backend` as a CGI program for the repositories below a folder."""

    def serve(exchange):
        path, _, query = exchange.path.partition("?")
        asked = exchange.asked
        variables = {
            **environment,
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": asked.method,
            "PATH_INFO": "/" + path[len(prefix) :],
            "QUERY_STRING": query,
            "CONTENT_TYPE": asked.header("content-type") or "",
            "CONTENT_LENGTH": str(len(asked.body)),
            "HTTP_CONTENT_ENCODING": asked.header("content-encoding") or "",
            "GIT_PROTOCOL": asked.header("git-protocol") or "",
            "REMOTE_USER": "test",
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=variables, input=asked.body, capture_output=True, timeout=300
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if line]
        named = {name.lower(): value for name, value in fields}
        status = int(named.get("status", "200").split()[0])
        exchange.answer(status, body, named.get("content-type", "text/plain"))

    return serve


def make_package_repository(folder, environment):
    """A flat repository of small packages with an index and its checksums. Returns {package: bytes of its file}."""
    files, paragraphs = {}, []
    for number in range(PACKAGE_COUNT):
        name = f"outrider-test-{number}"
        tree = folder / "trees" / name
        (tree / "DEBIAN").mkdir(parents=True)
        control = f"Package: {name}\nVersion: 1.{number}\nArchitecture: all\n"
        control += f"Maintainer: Test <test@test.example>\nDescription: test {number}\n"
        (tree / "DEBIAN" / "control").write_text(control)
        (tree / "payload").write_bytes(os.urandom(20_000 * (number + 1)))
        file = folder / "repository" / f"{name}_1.{number}_all.deb"
        file.parent.mkdir(exist_ok=True)
        run(["dpkg-deb", "--root-owner-group", "--build", tree, file], environment)
        data = files[name] = file.read_bytes()
        paragraphs.append(
            f"{control}Filename: ./{file.name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"
        )
    index = "\n".join(paragraphs).encode()
    contents = {"Packages": index, "Packages.gz": gzip.compress(index)}
    release = "Origin: Test\nSuite: test\nDate: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n"
    for name, data in contents.items():
        (folder / "repository" / name).write_bytes(data)
        release += f" {hashlib.sha256(data).hexdigest()} {len(data)} {name}\n"
    (folder / "repository" / "Release").write_text(release)
    return files


def apt_options(folder, proxy_url, repository_url):
    """Options that keep apt-get away from everything of this machine but its own programs."""
    for name in (
        "state/lists/partial",
        "cache/archives/partial",
        "etc/apt.conf.d",
        "etc/preferences.d",
        "etc/trusted.gpg.d",
    ):
        (folder / name).mkdir(parents=True)
    (folder / "state" / "status").write_text("")
    (folder / "etc" / "sources.list").write_text(f"deb [trusted=yes] {repository_url}/ ./\n")
    settings = {
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "state" / "status",
        "Dir::Cache": folder / "cache",
        "Dir::Etc": folder / "etc",
        "Dir::Etc::SourceList": folder / "etc" / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Acquire::http::Proxy": proxy_url,
        "Acquire::http::Timeout": "60",
        "Acquire::Retries": "0",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
