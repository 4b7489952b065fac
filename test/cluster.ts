// The cluster of docs/cluster.md, made by its own commands and files on Debian machines.

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Machine, type Machines, startMachines } from './machines.ts'
import { type Env, ROOT } from './program.ts'

export const NODES = ['db1', 'db2', 'db3'] as const
const HEALTHY_WAIT_MS = 180_000
const FIRST_APP = 101

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
  /** The front door of all processes. */
  readonly front: string
  /** The settings of the process `app1` or `app2` as the guide makes them, for a program on this machine. */
  env(app: 1 | 2): Env
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
  const install = `${commands('apt-get update')}\napt-get install -y haproxy`
  const machines = await startMachines([...NODES, 'backup', 'proxy'], install)
  try {
    return await setUp(machines)
  } catch (error) {
    await machines.stop()
    throw error
  }
}

async function setUp(machines: Machines): Promise<Cluster> {
  const nodes = NODES.map((name) => machines.get(name))
  const [backup, proxy] = [machines.get('backup'), machines.get('proxy')]
  const apps = await machines.addAddresses([FIRST_APP, FIRST_APP + 1])
  await copySettings(machines, apps)
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
    env: (app) => settingsOf(proxy, machines, apps[app - 1]!),
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
  // Rookery runs on this machine, with what the guide writes for it.
  await proxy.run(commands('sh app.sh'))
  await proxy.run(commands('sh proxy.sh'))
  return cluster
}

/** The first step of the guide, with the addresses of our machines. */
async function copySettings(machines: Machines, apps: readonly string[]): Promise<void> {
  const directory = join(machines.directory, 'patroni')
  cpSync(join(ROOT, 'deploy', 'patroni'), directory, { recursive: true })
  const addresses = [...NODES, 'backup', 'proxy'].map(
    (name) => `${name.toUpperCase()}=${machines.get(name).address}\n`,
  )
  const lines = [...addresses, ...apps.map((address, i) => `APP${i + 1}=${address}\n`)]
  writeFileSync(join(directory, 'cluster.env'), lines.join(''))
  await machines.runHere('sh secrets.sh', directory)
  for (const name of [...NODES, 'backup', 'proxy']) giveSettings(machines, machines.get(name))
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

function settingsOf(proxy: Machine, machines: Machines, address: string): Env {
  const text = readFileSync(join(proxy.root, 'etc/rookery/env'), 'utf8')
  const settings = parsed(
    text
      .replaceAll(/(db\d)\.cluster/g, (_, name) => machines.get(name).address)
      .replaceAll('/etc/rookery-cluster', join(proxy.root, 'etc/rookery-cluster')),
  )
  return { ...settings, ROOKERY_HOST: address, ROOKERY_WEB_PORT: '2290' }
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
