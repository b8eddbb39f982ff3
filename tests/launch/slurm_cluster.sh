#!/usr/bin/env bash
# Start a Slurm on this machine, of two small nodes (of one without root): slurm_cluster.sh FOLDER
#
# Debian's packages slurm-wlm and munge are enough, and no right but the user's own: all daemons
# run as who calls this, with keys, state and logs in FOLDER. The devices are files.
# Prints the configuration to set SLURM_CONF to. slurm_cluster.sh --stop FOLDER ends the daemons.

set -euo pipefail
PATH=$PATH:/usr/sbin

if [[ $1 == --stop ]]; then
    export SLURM_CONF=$2/slurm.conf
    scancel --signal=KILL --full --user="$(id -un)" || true
    scancel --user="$(id -un)" || true
    for _ in $(seq 50); do
        [[ -z $(squeue --noheader) ]] && break
        sleep 0.1
    done
    pids=$(cat "$2"/*.pid)
    for pid in $pids; do
        kill "$pid" || true
    done
    for pid in $pids; do
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
    exit 0
fi

folder=$1
user=$(id -un)
host=$(hostname)
mkdir -p "$folder"/{state,spool,log,munge}
chmod 700 "$folder/munge"
free_ports() { # three ports that nobody listens at
    python3 -c "
import socket
sockets = [socket.create_server(('127.0.0.1', 0)) for _ in range(3)]
print(*(each.getsockname()[1] for each in sockets))"
}
read -r controller first second <<<"$(free_ports)"

head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 600 "$folder/munge/key"
munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --seed-file="$folder/munge/seed" \
    --log-file="$folder/log/munged" --pid-file="$folder/munged.pid" --force

touch "$folder"/gpu{0..3} # files that stand for devices
echo "Name=gpu File=$folder/gpu[0-3]" >"$folder/gres.conf"
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmUser=$user
SlurmdUser=$user
# A job that is queued again waits as long as its credentials are good for, two minutes otherwise.
AuthInfo=socket=$folder/munge/socket,cred_expire=6
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
GresTypes=gpu
ReturnToService=2
# For speed: jobs are looked at each second.
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
KillWait=30
# The first node is where processes meet: it has the name that this machine answers to.
NodeName=$host NodeAddr=127.0.0.1 Port=$first CPUs=16 Gres=gpu:4
CONF
nodes=("$host")
# Debian's Slurm wants each node to have a host name of its own, which it finds itself by. As
# root, this machine can have two.
(cat /etc/hosts && echo "127.0.0.1 $host-second") >"$folder/hosts"
become="hostname $host-second && mount --bind $folder/hosts /etc/hosts"
as_second=(unshare --uts --mount -- bash -c "$become && exec \"\$@\"" --)
if "${as_second[@]}" true 2>/dev/null; then
    nodes+=("$host-second")
    echo "NodeName=$host-second NodeAddr=127.0.0.1 Port=$second CPUs=16 Gres=gpu:4" >>"$folder/slurm.conf"
fi
echo "PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$folder/slurm.conf"

export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF" -N "$host"
if [[ ${#nodes[@]} == 2 ]]; then
    "${as_second[@]}" slurmd -f "$SLURM_CONF" -N "$host-second"
fi
for _ in $(seq 100); do
    [[ $(sinfo --noheader --format %T%D 2>/dev/null) == "idle${#nodes[@]}" ]] && echo "$SLURM_CONF" && exit 0
    sleep 0.2
done
echo "the nodes did not come up:" >&2
sinfo >&2 || true
tail --lines=5 "$folder"/log/* >&2
exit 1
