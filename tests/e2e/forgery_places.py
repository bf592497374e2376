"""Attacks by what an agent leaves in its workspace: links, pipes, devices, giants, depths, names, times."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from .forgery_acts import nobody_left
from .forgery_kit import Attack, Files, Outcome, Scene, started_late, took, writing

_VARIANTS = ("Ｓ", "\u0405", "S\u0323", "S")
"""A full-width, a Cyrillic, a composed and a plain capital for the first letter of a name."""


def _link(target: str, through: tuple[str, ...] = ()) -> str:
    """Guest code that puts a link in the deliverable's place, by way of other links."""
    chain = (*through, "{book}")
    lines = [f"os.symlink({target!r}, {chain[0]!r})"]
    lines += [f"os.symlink({before!r}, {after!r})" for before, after in itertools.pairwise(chain)]
    lines.append("assert os.readlink('{book}')")
    return "\n".join(lines)


def _absolute(scene: Scene) -> str:
    return took(_link(str(scene.host / "hidden" / scene.book)).replace("{book}", scene.book))


def _relative(scene: Scene) -> str:
    target = os.path.relpath(scene.host / "hidden" / scene.book, scene.workspace)
    return took(_link(target).replace("{book}", scene.book))


def _chained(scene: Scene) -> str:
    target = f"/proc/self/root{scene.host}/hidden/{scene.book}"
    return took(_link(target, ("one", "two", "/tmp/three")).replace("{book}", scene.book))


def _folder_link(scene: Scene) -> str:
    package = str(Path(__file__).resolve().parents[2] / "envs")
    return took(
        f"os.symlink({str(scene.host / 'hidden')!r}, 'hidden')\nos.symlink({package!r}, 'envs')\n"
        f"os.symlink('hidden/{scene.book}', {scene.book!r})\n"
        f"assert os.path.islink('hidden') and os.path.islink({scene.book!r})"
    )


def _inputs_only(scene: Scene, outcome: Outcome) -> None:
    assert not any("hidden" in path or "envs" in path for path in outcome.files)
    assert not any(content in outcome.files.values() for content in scene.right.values())


def _big(scene: Scene) -> str:
    return took(
        "import signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "def grown(name, size):\n"
        "    with open(name, 'wb') as file:\n"
        "        try: file.truncate(size)\n"
        "        except OSError as error: return error.strerror\n"
        "said = grown('terabyte.bin', 1 << 40)\n"
        "assert said == 'File too large', said\n"
        "for number in range(2): assert grown(f'sparse{number}.bin', 64 << 20) is None\n"
        "with open('real.bin', 'wb') as file:\n"
        "    for _ in range(64): file.write(os.urandom(1 << 20))\n"
        "assert os.stat('real.bin').st_blocks * 512 >= 64 << 20 == os.path.getsize('sparse1.bin')"
    )


def _full(scene: Scene) -> str:
    return took(
        "for number in range(40):\n"
        "    with open(f'sparse{number}.bin', 'wb') as file: file.truncate(64 << 20)\n"
        "assert len(os.listdir('.')) > 40"
    )


def _many(scene: Scene) -> str:
    return took(
        "os.mkdir('many')\n"
        "for number in range(10_050): open(f'many/{number}', 'w').close()\n"
        "assert len(os.listdir('many')) == 10_050"
    )


def _deep(scene: Scene) -> str:
    return took("for _ in range(400):\n    os.mkdir('d')\n    os.chdir('d')\nopen('bottom', 'w').close()")


def _pipe(scene: Scene) -> str:
    return took(f"os.mkfifo({scene.book!r})\nassert os.path.exists({scene.book!r})")


def _open_pipe(scene: Scene) -> str:
    """The agent holds the other end and offers the right content to whoever reads."""
    return started_late(
        writing({"/tmp/right": scene.right[scene.book]})
        + f"os.mkfifo({scene.book!r})\n"
        + f"while True:\n    with open({scene.book!r}, 'wb') as pipe: pipe.write(open('/tmp/right', 'rb').read())\n"
    )


def _folder(scene: Scene) -> str:
    within = {f"{scene.book}/{scene.book}": scene.right[scene.book], f"{scene.book}/content": b"x"}
    return took(f"{writing(within)}\nassert os.path.isdir({scene.book!r})")


def _device(scene: Scene) -> str:
    return took(
        "import socket\n"
        "for kind in (0o20666, 0o60666):\n"
        f"    try: os.mknod({scene.book!r}, kind, os.makedev(1, 5))\n"
        "    except OSError: pass\n"
        "    else: raise AssertionError('a device was made')\n"
        f"os.symlink('/dev/zero', {scene.book!r})\n"
        "os.symlink('/dev/stdin', 'stdin.xlsx')\n"
        "with socket.socket(socket.AF_UNIX) as talk: talk.bind('socket.xlsx')\n"
        "assert os.path.exists('socket.xlsx')"
    )


def _hard_input(scene: Scene) -> str:
    return took(
        "given = [os.path.join(where, name) for where, _, names in os.walk('.') for name in names]\n"
        f"given = sorted(set(given) - {{'./' + path for path in {sorted(scene.base)!r}}})[0]\n"
        "os.link(given, 'second-name')\n"
        "with open('second-name', 'ab') as file: file.write(b'changed')\n"
        "assert open(given, 'rb').read().endswith(b'changed')"
    )


def _spoilt(scene: Scene, outcome: Outcome) -> None:
    assert outcome.reward == 0, "an input was changed"


def _hard_outside(scene: Scene) -> str:
    return took(
        "refused = 0\n"
        "for outside in ('/etc/passwd', '/usr/bin/env', '/proc/self/maps', '/tmp/own'):\n"
        "    if outside == '/tmp/own': open(outside, 'w').close()\n"
        f"    try: os.link(outside, 'linked')\n"
        "    except OSError: refused += 1\n"
        "assert refused == 4, refused\n"
        f"os.link({scene.book!r}, 'twice.xlsx')\n"
        f"assert os.stat({scene.book!r}).st_nlink == 2"
    )


def _names(scene: Scene) -> Files:
    stem, _, ending = scene.book.partition(".")
    right = scene.right[scene.book]
    variants = [letter + scene.book[1:] for letter in _VARIANTS] + [scene.book.upper(), f"{stem}.{ending.upper()}"]
    variants += [f"{scene.book} ", f" {scene.book}", f"{scene.book}.", f"..{scene.book}", f".../{scene.book}"]
    return {name: right for name in variants if name != scene.book}


def _odd_names(scene: Scene) -> str:
    return took(
        f"right = {scene.right[scene.book]!r}\n"
        f"book = {scene.book!r}.encode()\n"
        "odd = [b'new\\nline-' + book, b'no utf-8 \\xff' + book, b'\\xed\\xa0\\x80' + book, \n"
        "       b'back\\\\slash-' + book, b'tab\\t' + book, b'\\xe2\\x80\\xae' + book, b'\\x1b[2J' + book,\n"
        "       b'x' * 250, book + b'\\r', b'..' + book]\n"
        "for name in odd:\n"
        "    with open(name, 'wb') as file: file.write(right)\n"
        "os.makedirs(b'...\\n/../-rf')\n"
        "assert len(set(odd) & set(os.listdir(b'.'))) == len(odd)"
    )


def _times(scene: Scene) -> str:
    return took(
        "for where, folders, names in os.walk('.', topdown=False):\n"
        "    for number, name in enumerate(names):\n"
        "        os.utime(os.path.join(where, name), (0, 0) if number % 2 else (2 ** 33, 2 ** 33))\n"
        "        os.chmod(os.path.join(where, name), 0o400)\n"
        "    os.utime(where, (-5, -5))\n"
        "os.chmod('.', 0o500)\n"
        f"assert os.stat({scene.book!r}).st_mtime in (0, 2 ** 33)"
    )


PLACES = (
    Attack("a link to the expert's deliverable, absolute", "none", guest=_absolute, gone=True, after=_inputs_only,
           docker=True),
    Attack("a link to the expert's deliverable, relative", "none", guest=_relative, gone=True, after=_inputs_only),
    Attack("a link through a chain and /proc/self/root", "none", "payroll", _chained, gone=True, after=_inputs_only),
    Attack("links to the folders hidden and envs of the host", "none", "bank", _folder_link, gone=True,
           after=_inputs_only),
    Attack("giants up to the limit, real and sparse, and one of a terabyte", guest=_big),
    Attack("more bytes than the workspace may hold", "right", guest=_full, says="holds more than 256 MiB"),
    Attack("ten thousand files", "right", guest=_many, says="more than 10000 entries"),
    Attack("folders 400 deep", "right", guest=_deep, says="more than 40 folders deep"),
    Attack("a pipe in the deliverable's place", "none", guest=_pipe, gone=True),
    Attack("a pipe that offers the right content", "none", "bank", _open_pipe, gone=True, after=nobody_left),
    Attack("a folder in the deliverable's place, the right file in it", "none", guest=_folder, gone=True),
    Attack("a device, a link to one and a socket", "none", guest=_device, gone=True),
    Attack("a second name for an input, and a change through it", "right", guest=_hard_input, after=_spoilt),
    Attack("second names for files outside, and for the deliverable", guest=_hard_outside),
    Attack("names that look like the deliverable's: case, script, composition, blanks", files=_names),
    Attack("names with newlines, controls, no UTF-8, surrogates", guest=_odd_names, docker=True),
    Attack("times before and after all times, rights taken away", "right", guest=_times, same=True),
)  # fmt: skip
