// What happens to the machines of a cluster.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, commands } from './cluster.ts'
import type { Machine } from './machines.ts'
import type { Target } from './submit-load.ts'

/** Writes have stopped when nothing was acknowledged for this time. */
const SILENCE_MS = 3_000

type Failing = {
  readonly cluster: Cluster
  readonly leader: Machine
  readonly others: readonly Machine[]
  readonly targets: readonly Target[]
}
type Undo = () => Promise<unknown>
export type Failure = keyof typeof FAILURES

/** Each returns what ends it. */
export const FAILURES = {
  async 'SIGKILL of PostgreSQL'({ leader }: Failing): Promise<Undo> {
    await leader.run('kill -9 $(head -n 1 /var/lib/postgresql/rookery/postmaster.pid)')
    return async () => {}
  },
  async 'power loss'({ leader }: Failing): Promise<Undo> {
    await leader.crash()
    return () => leader.boot()
  },
  async 'SIGSTOP of everything'({ leader }: Failing): Promise<Undo> {
    await leader.freeze()
    return leader.thaw
  },
  async 'cut cable'({ leader }: Failing): Promise<Undo> {
    await leader.cut()
    return leader.heal
  },
  /** Rookery still reaches it: the old primary would take writes if it could. */
  async 'cut off from the other machines'({ cluster, leader, others }: Failing): Promise<Undo> {
    const unreachable = [...others, cluster.backup]
    await leader.separate(unreachable)
    return () => leader.join(unreachable)
  },
  async switchover({ cluster }: Failing): Promise<Undo> {
    await cluster.nodes[0]!.run(commands('switchover --force'))
    return async () => {}
  },
  async 'SIGSTOP of the synchronous standby'({ cluster }: Failing): Promise<Undo> {
    const standby = await cluster.synchronousStandby()
    await standby.freeze()
    return standby.thaw
  },
  /** Only a full log makes Patroni act: else the operator switches over. */
  async 'full disk'({ cluster, leader, others, targets }: Failing): Promise<Undo> {
    await leader.fill()
    await untilSilent(targets)
    if ((await cluster.leader()) === leader) await others[0]!.run(commands('switchover --force'))
    return leader.empty
  },
}

async function untilSilent(targets: readonly Target[]): Promise<void> {
  const written = () => targets.reduce((sum, { writes }) => sum + writes, 0)
  for (
    let since = Date.now(), last = written();
    Date.now() - since < SILENCE_MS;
    await sleep(100)
  ) {
    if (written() !== last) [since, last] = [Date.now(), written()]
  }
}
