#!/bin/sh
# Build an image for docker:  build.sh IMAGE GUEST_FOLDER           the guest image
#                             build.sh IMAGE --office GUEST_IMAGE   the same with LibreOffice, on top of that image
#
# IMAGE is the name to give, GUEST_FOLDER the guest environment that `workgym doctor --prepare` built. With a registry
# it is docker's own build of the Dockerfile beside this script; without one, Debian's packages by debootstrap (root)
# and a copy of the guest environment, which then must be of the same Python as the suite's. LibreOffice comes from
# the Debian sources that the guest image has.
# MIRROR and SUITE name other Debian sources than http://deb.debian.org/debian and this machine's own suite.
set -eu

image=$1
guest=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

if [ "$guest" = --office ]; then
    # By the network of the daemon's machine: a daemon without a bridge of its own builds it, too.
    docker build --quiet --network host --build-arg "GUEST=$3" --tag "$image" --file "$here/Dockerfile.office" "$folder" \
        >/dev/null 2>"$folder/log" || { tail -n 1 "$folder/log" >&2; exit 2; }
    echo "built $image from $3"
    exit 0
fi

if docker pull --quiet debian:bookworm-slim >/dev/null 2>&1; then
    cp "$here/Dockerfile" "$here/../guest/requirements.lock" "$folder"
    docker build --quiet --tag "$image" "$folder" >/dev/null
    echo "built $image from debian:bookworm-slim"
    exit 0
fi

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "no registry answers, and building from packages needs root and debootstrap (apt-get install debootstrap)" >&2
    exit 2
fi
suite=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
debootstrap --variant=minbase --include=python3,procps,file "$suite" "$folder/root" \
    "${MIRROR:-http://deb.debian.org/debian}" >"$folder/log" 2>&1 || { tail -n 1 "$folder/log" >&2; exit 2; }
root=$folder/root
mkdir -p "$root/opt" "$root/work"
cp -a "$guest" "$root/opt/guest"
if ! chroot "$root" /opt/guest/bin/python -I -c 'import openpyxl, pandas' 2>/dev/null; then
    echo "the guest environment in $guest does not run on the Python of $suite" >&2
    exit 2
fi
printf 'export PATH=/opt/guest/bin:/usr/local/bin:/usr/bin:/bin\n' > "$root/etc/profile"
rm -rf "$root/var/cache/apt" "$root/var/lib/apt/lists" "$root/usr/share/doc" "$root/etc/hostname" \
    "$root/var/log/bootstrap.log" "$root/usr/share/man" "$root/usr/share/locale"
tar -C "$root" -c --exclude=./dev --exclude=./proc --exclude=./sys . \
    | docker import --change 'LABEL org.workgym.guest=1' - "$image" >/dev/null
echo "built $image from packages of $suite"
