//go:build linux

package cli

import (
	"fmt"
	"github.com/rlvet/rlvet/internal/paths"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cluster is a real Slurm of one node, this machine, with all that it keeps in a folder of
// the test's own.
type cluster struct {
	t         *testing.T
	dir, node string
	slurmd    *exec.Cmd
}

const slurmConf = `ClusterName=rlvet
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.sock
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=5
MailProg=/bin/true
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// newCluster starts a cluster. Where that cannot be the test is skipped, and says so; with
// REQUIRE_SLURM set, as in CI, it fails.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	if err := slurmHere(); err != nil {
		if os.Getenv("REQUIRE_SLURM") != "" {
			t.Fatalf("Slurm is required: %v", err)
		}
		t.Skipf("SKIPPED: arrays of a real Slurm are NOT tried: %v", err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "slurm") // short, since it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, dir: dir}
	c.node, _, _ = strings.Cut(host, ".")
	t.Cleanup(c.stop)
	c.write("munge.key", strings.Repeat("not a secret ", 10))
	c.write("slurm.conf", fmt.Sprintf(slurmConf, c.node, dir, freePort(t), freePort(t)))
	t.Setenv("SLURM_CONF", c.path("slurm.conf"))
	t.Setenv("TMPDIR", c.path("tmp")) // a node that crashes leaves its files
	for _, sub := range []string{"state", "spool", "tmp"} {
		if err := os.Mkdir(c.path(sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.start("munged", "--foreground", "--force", "--key-file="+c.path("munge.key"), "--socket="+c.path("munge.sock"),
		"--pid-file="+c.path("munged.pid"), "--log-file="+c.path("munged.log"), "--seed-file="+c.path("munge.seed"))
	c.until("munged listens", func() bool { _, err := os.Stat(c.path("munge.sock")); return err == nil })
	c.start("slurmctld", "-D", "-f", c.path("slurm.conf"))
	c.boot()
	return c
}

// slurmHere returns what is missing for a cluster.
func slurmHere() error {
	if u, err := user.Current(); err != nil || u.Uid != "0" {
		return fmt.Errorf("the daemons are started as root")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(daemon(name)); err != nil {
			return fmt.Errorf("%w (Debian: apt-get install slurm-wlm munge)", err)
		}
	}
	return nil
}

// daemon is the path of a program that may lie outside of the PATH.
func daemon(name string) string {
	if path := filepath.Join("/usr/sbin", name); paths.Exist(path) {
		return path
	}
	return name
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *cluster) write(name, text string) {
	if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// start starts a daemon, which ends with this process at the latest.
func (c *cluster) start(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	cmd := exec.Command(daemon(name), args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// boot starts the node and waits until it takes jobs.
func (c *cluster) boot() {
	c.t.Helper()
	c.slurmd = c.start("slurmd", "-D", "-f", c.path("slurm.conf"))
	c.until("the node is up", func() bool {
		state := c.ask("sinfo", "--noheader", "--format=%T")
		return state == "idle" || state == "mixed" || state == "allocated"
	})
}

// crash ends the node as a loss of power does, and lets Slurm know.
func (c *cluster) crash() {
	c.t.Helper()
	c.slurmd.Process.Kill()
	c.slurmd.Wait()
	c.killNode()
	if out, err := exec.Command("scontrol", "update", "nodename="+c.node, "state=down", "reason=crash").CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
}

// killNode kills what the node runs: the processes that watch over its jobs, and the jobs.
func (c *cluster) killNode() {
	for _, pid := range c.processes() {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processes are those of the node's jobs.
func (c *cluster) processes() (out []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		watcher := strings.TrimSpace(string(comm)) == "slurmstepd" && cwd == c.dir
		job := strings.Contains(string(environ), "SLURM_CONF="+c.path("slurm.conf")) && strings.Contains(string(environ), "SLURM_JOB_ID=")
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && (watcher || job) {
			out = append(out, pid)
		}
	}
	return out
}

// stop ends what is left, and removes the folder.
func (c *cluster) stop() {
	c.killNode()
	if c.t.Failed() {
		for _, name := range []string{"slurmctld.log", "slurmd.log"} {
			text, _ := os.ReadFile(c.path(name))
			c.t.Logf("%s:\n%s", name, text)
		}
	}
	os.RemoveAll(c.dir)
}

// ask returns what a command of Slurm prints, without the space around.
func (c *cluster) ask(name string, args ...string) string {
	out, _ := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(out))
}

// until waits for a condition.
func (c *cluster) until(what string, holds func() bool) {
	c.t.Helper()
	for range 1200 {
		if holds() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.t.Fatalf("after two minutes it is still not so that %s", what)
}
