// The cluster of docs/cluster.md, made by its own commands and files on Debian machines.

import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Machine, type Machines, startMachines } from './machines.ts'
import { patient } from './patience.ts'
import { type Env, ROOT } from './program.ts'

export const NODES = ['db1', 'db2', 'db3'] as const
export const APPS = ['app1', 'app2'] as const
const MACHINES = [...NODES, 'backup', ...APPS, 'proxy']
const HEALTHY_WAIT_MS = patient(20_000)
const READY_WAIT_MS = patient(15_000)

const GUIDE = readFileSync(join(ROOT, 'docs', 'cluster.md'), 'utf8')

/** The commands of the guide in the block that contains this text, made into a script. */
export function commands(text: string): string {
  const blocks = [...GUIDE.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block]) => block!)
  const found = blocks.filter((block) => block.includes(text))
  if (found.length !== 1) throw new Error(`${found.length} blocks of the guide have ${text}`)
  return found[0]!
}

export type Cluster = {
  readonly machines: Machines
  readonly nodes: readonly Machine[]
  readonly backup: Machine
  readonly apps: readonly Machine[]
  /** The front door of all processes. */
  readonly front: string
  /** The settings of Rookery as the guide makes them, for a program on this machine. */
  readonly env: Env
  superuserUrl(node: Machine): string
  /** The restored copy on the machine with the backups, as that machine reaches it. */
  readonly drillUrl: string
  leader(): Promise<Machine>
  synchronousStandby(): Promise<Machine>
  /** Waits until all nodes follow one leader, and returns it. */
  healthy(): Promise<Machine>
  stop(): Promise<void>
}

/** Throws an Error that says why when this machine does not allow it. */
export async function startCluster(): Promise<Cluster> {
  const install = [commands('etcd-server'), commands('libatomic1'), commands('haproxy')]
  const machines = await startMachines(MACHINES, install.join('\n'), programOf)
  try {
    return await setUp(machines)
  } catch (error) {
    await machines.stop()
    throw error
  }
}

/** This checkout with its packages is where the guide has Rookery. */
const programOf = (name: string): Record<string, string> =>
  name.startsWith('app') ? { [ROOT]: '/opt/rookery' } : {}

async function setUp(machines: Machines): Promise<Cluster> {
  const nodes = NODES.map((name) => machines.get(name))
  const [backup, proxy] = [machines.get('backup'), machines.get('proxy')]
  await copySettings(machines)
  await backup.run(commands('sh backup.sh'))
  await Promise.all(
    nodes.map((node) => node.run(commands('node.sh db1').replace('db1', node.name))),
  )
  const withRole = async (role: string) => {
    const members = await membersOf(nodes)
    return machines.get(members.find(({ Role }) => Role === role)?.Member ?? '')
  }
  const settings = parsed(readFileSync(join(proxy.root, 'root/patroni/cluster.env'), 'utf8'))
  const cluster: Cluster = {
    ...{ machines, nodes, backup, front: `http://${proxy.address}` },
    apps: APPS.map((name) => machines.get(name)),
    env: settingsOf(settings, machines),
    superuserUrl: ({ address }) =>
      `postgres://postgres:${settings.SUPERUSER_PASSWORD}@${address}:5432/postgres`,
    drillUrl: `postgres://rookery:${settings.DATABASE_PASSWORD}@127.0.0.1:5499/rookery`,
    leader: () => withRole('Leader'),
    synchronousStandby: () => withRole('Sync Standby'),
    healthy: () => untilHealthy(nodes, machines),
    stop: () => machines.stop(),
  }
  await cluster.healthy()
  await backup.run(commands('stanza-create'))
  await proxy.run(commands('sh proxy.sh'))
  return cluster
}

/** Starts Rookery as a service on its machines, the second one behind pgbouncer. */
export async function startApps({ apps }: Cluster): Promise<void> {
  for (const app of apps) await app.run(commands('sh app.sh'))
  await apps[1]!.run(commands(':6432'))
  for (const app of apps) await untilReady(app)
}

/** The hub of a Rookery process. */
export const hubOf = ({ address }: Machine): string => `http://${address}:2290/hub`

export async function untilReady(app: Machine): Promise<void> {
  for (const start = Date.now(); ; await sleep(200)) {
    const answer = await fetch(`http://${app.address}:2290/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    if (Date.now() - start < READY_WAIT_MS) continue
    throw new Error(await app.run('journalctl --no-pager -n 30 -u rookery'))
  }
}

/** What tests need beyond the guide: a network that takes their messages, and all that they can send. */
const TEST_SETTINGS = 'ROOKERY_SUBMIT_LIMIT=1000000\nROOKERY_CLIENT_CPU_PERCENT=10000\n'

/** The first step of the guide, with the addresses of our machines. */
async function copySettings(machines: Machines): Promise<void> {
  const directory = join(machines.directory, 'patroni')
  cpSync(join(ROOT, 'deploy', 'patroni'), directory, { recursive: true })
  const example = readFileSync(join(directory, 'cluster.env.example'), 'utf8')
  const ours = example
    .replaceAll(
      /^(\w+)=10\..*$/gm,
      (_, name) => `${name}=${machines.get(name.toLowerCase()).address}`,
    )
    .replace(/^NETWORK=.*$/m, 'NETWORK=devnet')
  writeFileSync(join(directory, 'cluster.env'), ours)
  appendFileSync(join(directory, 'rookery.env'), TEST_SETTINGS)
  await machines.runHere('sh secrets.sh', directory)
  for (const name of MACHINES) giveSettings(machines, machines.get(name))
}

function giveSettings({ directory }: Machines, { root }: Machine): void {
  cpSync(join(directory, 'patroni'), join(root, 'root/patroni'), { recursive: true })
}

/** An empty machine takes the place of a lost one. */
export async function replaceNode({ machines, nodes }: Cluster, lost: Machine): Promise<void> {
  await lost.replace()
  giveSettings(machines, lost)
  const named = (script: string) => script.replaceAll('db2', lost.name)
  const other = nodes.find((node) => node !== lost)!
  await other.run(named(commands('etcdctl member add')))
  await lost.run(named(commands('node.sh db2 existing')))
}

/** /etc/rookery/env with addresses and paths of this machine. */
function settingsOf(settings: Readonly<Record<string, string>>, { directory, get }: Machines): Env {
  const text = readFileSync(join(directory, 'patroni/rookery.env'), 'utf8')
    .replaceAll(/\$\{(\w+)\}/g, (_, name) => settings[name] ?? '')
    .replaceAll(/(db\d)\.cluster/g, (_, name) => get(name).address)
    .replaceAll('/etc/rookery-cluster', join(directory, 'patroni'))
  return parsed(text)
}

const parsed = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

type Member = { readonly Member: string; readonly Role: string; readonly State: string }

/** As the first node that answers sees them. */
async function membersOf(nodes: readonly Machine[]): Promise<Member[]> {
  const list = commands('patroni/config.yml list').trim()
  for (const node of nodes) {
    try {
      return JSON.parse(await node.run(`timeout 10 ${list} -f json`))
    } catch {
      // It is away, or cut off.
    }
  }
  return []
}

async function untilHealthy(nodes: readonly Machine[], machines: Machines): Promise<Machine> {
  for (const start = Date.now(); ; await sleep(500)) {
    const members = await membersOf(nodes)
    const leader = members.find(({ Role }) => Role === 'Leader')
    const isHealthy =
      members.length === nodes.length &&
      members.every(({ State }) => State === 'running') &&
      members.filter(({ Role }) => Role === 'Sync Standby').length === 2
    if (leader && isHealthy && (await standbysOf(machines.get(leader.Member))) === 2) {
      return machines.get(leader.Member)
    }
    if (Date.now() - start > HEALTHY_WAIT_MS) throw new Error(await logsOf(nodes))
  }
}

/** The number of standbys connected to the primary now. The state that Patroni reports may be some seconds old. */
async function standbysOf(leader: Machine): Promise<number> {
  const text = "select count(*) from pg_stat_replication where state = 'streaming'"
  return Number(await leader.run(`su postgres -c "psql -Atc \\"${text}\\""`).catch(() => 0))
}

async function logsOf(nodes: readonly Machine[]): Promise<string> {
  const log = 'journalctl --no-pager -n 20 -u etcd -u patroni -u pgbackrest'
  const logs = nodes.map(async (node) => `${node.name}\n${await node.run(log).catch(String)}`)
  return (await Promise.all(logs)).join('\n')
}
