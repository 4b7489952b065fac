// Debian machines with systemd, a disk and a network of their own, in namespaces of this one (systemd-nspawn).

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram } from './debian.ts'
import { PATIENCE_MS } from './patience.ts'

const run = promisify(execFile)
const MAX_OUTPUT_BYTES = 50_000_000
const BOOT_WAIT_MS = PATIENCE_MS
/** The programs that a Debian machine has before anybody installs something. */
const FIRST_PACKAGES = 'systemd,systemd-sysv,dbus,ca-certificates,iproute2,openssl'
const DISK_BYTES = 2 * 1024 ** 3
/** Others write to the disk while it is filled. */
const SPARE_BYTES = 32 * 1024 ** 2
const DATABASE_DIRECTORY = '/var/lib/postgresql'
/** Nothing has it, so what is sent to it is lost without an error. */
const NOBODYS_MAC = '02:00:00:00:00:01'
/** Without one of its own the bridge takes that of a machine, and another when that is gone: the others would not find this one. */
const BRIDGE_MAC = '02:00:00:00:00:02'

export type MachineNames = readonly string[]

export type Machines = {
  readonly directory: string
  get(name: string): Machine
  /** Runs a script on this machine. */
  runHere(script: string, cwd: string): Promise<void>
  stop(): Promise<void>
}

/** Why machines cannot be made here, or undefined. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'machines need root on Linux'
  if (!existsSync('/etc/debian_version')) return 'machines are copies of a Debian system'
  return undefined
}

/**
 * Makes an empty Debian machine, runs `install` on it, and starts a copy of it for each name. `shared` names paths of this
 * machine that are seen at other paths of that one. Throws an Error that says why when this machine does not allow it.
 * TEST_MACHINE names a directory with a machine that was made before.
 */
export async function startMachines(
  names: MachineNames,
  install: string,
  shared: (name: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<Machines> {
  const why = obstacle()
  if (why) throw new Error(why)
  process.env.PATH += ':/usr/sbin:/sbin'
  await findProgram(['systemd-nspawn'], 'systemd-container')
  await findProgram(['debootstrap'], 'debootstrap')
  const directory = mkdtempSync(join(tmpdir(), 'rookery-machines-'))
  const base = process.env.TEST_MACHINE ?? join(directory, 'base')
  const tag = `r${process.pid % 10_000}`
  const network = `10.238.${process.pid % 250}`
  const bridge = `${tag}-br`
  const machines = new Map<string, Machine>()
  // A run that is interrupted leaves neither machines nor mounts.
  const atExit = () => {
    for (const machine of machines.values()) machine.abandon()
  }
  process.once('exit', atExit)
  const stop = async () => {
    process.off('exit', atExit)
    await Promise.all([...machines.values()].map((machine) => machine.remove()))
    await run('ip', ['link', 'del', bridge]).catch(() => {})
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    if (!existsSync(base)) await createBase(base, install)
    await run('ip', ['link', 'add', bridge, 'address', BRIDGE_MAC, 'type', 'bridge'])
    await run('ip', ['addr', 'add', `${network}.1/24`, 'dev', bridge])
    await run('ip', ['link', 'set', bridge, 'up'])
    for (const [i, name] of names.entries()) {
      const address = `${network}.${11 + i}`
      const place = { base, directory, bridge, name, tag, address, shared: shared(name) }
      const machine = new Machine(place)
      machines.set(name, machine)
      await machine.prepare()
    }
    await Promise.all([...machines.values()].map((machine) => machine.boot()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    directory,
    get: (name) => machines.get(name)!,
    async runHere(script, cwd) {
      await run('sh', ['-euc', script], { cwd })
    },
    stop,
  }
}

async function createBase(base: string, install: string): Promise<void> {
  const format = ['--format', '$(REPO_URI) $(CODENAME)', 'Created-By: Packages']
  const { stdout } = await run('apt-get', ['indextargets', ...format])
  const [repository = '', codename = ''] = stdout.split('\n')[0]!.split(' ')
  const options = ['--variant=minbase', `--include=${FIRST_PACKAGES}`, codename, base, repository]
  await run('debootstrap', options, { maxBuffer: MAX_OUTPUT_BYTES })
  rmSync(join(base, 'etc/apt/sources.list'), { force: true })
  for (const name of ['sources.list', 'sources.list.d', 'apt.conf.d']) {
    const from = join('/etc/apt', name)
    if (existsSync(from)) cpSync(from, join(base, 'etc/apt', name), { recursive: true })
  }
  const script = `export DEBIAN_FRONTEND=noninteractive\n${install}`
  const flags = ['-q', '-D', base, '--register=no', '--keep-unit', '--resolv-conf=copy-host']
  await run('systemd-nspawn', [...flags, '--console=pipe', 'sh', '-euc', script], {
    maxBuffer: MAX_OUTPUT_BYTES,
  })
}

type Place = {
  readonly base: string
  readonly directory: string
  readonly bridge: string
  readonly name: string
  readonly tag: string
  readonly address: string
  readonly shared: Readonly<Record<string, string>>
}

export class Machine {
  readonly #place: Place
  #process: ChildProcess | undefined

  constructor(place: Place) {
    this.#place = place
  }

  get name(): string {
    return this.#place.name
  }

  get address(): string {
    return this.#place.address
  }

  /** Its files, as this machine sees them. */
  get root(): string {
    return this.#path('root')
  }

  /** Its data of PostgreSQL are on a small disk of their own, which can be filled. */
  get #disk(): string {
    return this.#path('disk')
  }

  #path(kind: string): string {
    return join(this.#place.directory, `${kind}-${this.name}`)
  }

  async prepare(): Promise<void> {
    const [upper, work] = [this.#path('upper'), this.#path('work')]
    for (const path of [this.root, upper, work, this.#disk]) mkdirSync(path)
    const layers = `lowerdir=${this.#place.base},upperdir=${upper},workdir=${work}`
    await run('mount', ['-t', 'overlay', 'overlay', '-o', layers, this.root])
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=755`, 'disk', this.#disk])
    const users = readFileSync(join(this.root, 'etc/passwd'), 'utf8')
    const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? []
    if (uid !== undefined) chownSync(this.#disk, Number(uid), Number(gid))
    writeFileSync(join(this.root, 'etc/hostname'), `${this.name}\n`)
    // As Debian's installer writes it.
    writeFileSync(join(this.root, 'etc/hosts'), `127.0.0.1 localhost\n127.0.1.1 ${this.name}\n`)
    writeFileSync(
      join(this.root, 'etc/systemd/network/10-host0.network'),
      `[Match]\nName=host0\n[Network]\nAddress=${this.address}/24\n`,
    )
    await run('chroot', [this.root, 'systemctl', 'enable', 'systemd-networkd'])
  }

  async boot(): Promise<void> {
    const { bridge, tag, shared } = this.#place
    const paths = Object.entries(shared).map(([from, to]) => `--bind-ro=${from}:${to}`)
    const flags = [
      ...['-q', '-b', '-D', this.root, '--machine', `${tag}-${this.name}`],
      ...['--hostname', this.name, '--register=no', '--keep-unit', '--resolv-conf=off'],
      ...[`--network-bridge=${bridge}`, `--bind=${this.#disk}:${DATABASE_DIRECTORY}`],
      ...paths,
      '--console=pipe',
    ]
    this.#process = spawn('systemd-nspawn', flags, { stdio: 'ignore' })
    // Machines have processors of their own: tests that run beside them shall not make them miss their deadlines.
    setPriority(this.#process.pid!, 0)
    for (const start = Date.now(); ; await sleep(100)) {
      const state = await this.run('systemctl is-system-running || true').catch(() => '')
      if (/running|degraded/.test(state)) return
      if (Date.now() - start > BOOT_WAIT_MS)
        throw new Error(`${this.name} does not start: ${state}`)
    }
  }

  /** Runs a script as root and returns what it prints. */
  async run(script: string): Promise<string> {
    const namespaces = ['-m', '-u', '-i', '-n', '-p']
    const shell = ['bash', '--norc', '-euo', 'pipefail', '-c', `cd /root; ${script}`]
    const { stdout } = await run(
      'nsenter',
      ['-t', String(this.#firstProcess()), ...namespaces, '--', ...shell],
      {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
        maxBuffer: MAX_OUTPUT_BYTES,
      },
    )
    return stdout
  }

  /** Runs a program of this machine in its network. */
  async runInNetwork(command: readonly string[], env: Readonly<Record<string, string>>) {
    const given = ['-t', String(this.#firstProcess()), '-n', '--', ...command]
    return run('nsenter', given, { env: { PATH: process.env.PATH, ...env } })
  }

  /** Its power goes. */
  async crash(): Promise<void> {
    if (!this.#process) return
    const ended = once(this.#process, 'exit')
    try {
      process.kill(this.#firstProcess(), 'SIGKILL')
    } catch {
      this.#process.kill('SIGKILL')
    }
    await ended
    this.#process = undefined
  }

  /** All of its processes stand still; its kernel goes on accepting connections. */
  freeze = () => this.run('kill -STOP -1')
  thaw = () => this.run('kill -CONT -1')

  /** Its cable is pulled. */
  cut = () => run('ip', ['link', 'set', this.#link, 'down'])
  heal = () => run('ip', ['link', 'set', this.#link, 'up'])

  /** What it sends to these others is lost. */
  separate = (others: readonly Machine[]) =>
    this.run(
      others
        .map(
          ({ address }) =>
            `ip neigh replace ${address} lladdr ${NOBODYS_MAC} dev host0 nud permanent`,
        )
        .join('\n'),
    )
  join = (others: readonly Machine[]) =>
    this.run(others.map(({ address }) => `ip neigh del ${address} dev host0`).join('\n'))

  /** Its disk is full. */
  fill = () =>
    this.run(
      `cd ${DATABASE_DIRECTORY}
       fallocate -l $(($(df --output=avail -B1 . | tail -n 1) - ${SPARE_BYTES})) filler
       cat /dev/zero >> filler 2> /dev/null || true`,
    )
  empty = () => this.run(`rm -f ${DATABASE_DIRECTORY}/filler`)

  /** It is lost, and an empty one with its address takes its place. */
  async replace(): Promise<void> {
    await this.remove()
    for (const kind of ['root', 'upper', 'work', 'disk'])
      rmSync(this.#path(kind), { recursive: true })
    await this.prepare()
    await this.boot()
  }

  async remove(): Promise<void> {
    await this.crash().catch(() => {})
    for (const path of [this.root, this.#disk]) {
      await run('umount', ['-l', path]).catch(() => {})
    }
  }

  /** The same at the end of this process, which waits for nothing. */
  abandon(): void {
    try {
      process.kill(this.#firstProcess(), 'SIGKILL')
    } catch {
      // It does not run.
    }
    for (const path of [this.root, this.#disk]) spawnSync('umount', ['-l', path])
  }

  get #link(): string {
    return `vb-${this.#place.tag}-${this.name}`
  }

  /** The systemd of the machine, whose namespaces are its. */
  #firstProcess(): number {
    const parent = this.#process?.pid
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        // The fields after the name, which may have spaces: state, parent.
        const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        if (Number(fields.split(' ')[1]) === parent) return Number(pid)
      } catch {
        // It has ended.
      }
    }
    throw new Error(`${this.name} is not running`)
  }
}
