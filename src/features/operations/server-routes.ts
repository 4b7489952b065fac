import Type from 'typebox'
import type { Mode } from '../../kernel/base/setting.ts'
import { VERSION } from '../../kernel/base/version.ts'
import { type Route, route } from '../../kernel/http/route.ts'
import type { JobRunner, JobState } from '../../kernel/jobs/job.ts'
import type { UnreadableHops } from '../../kernel/limits/unreadable-hops.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { DiskUse } from '../../kernel/storage/disk-use.ts'
import type { Caution } from '../../kernel/storage/engines/cautions.ts'
import type { LiveSettings } from '../../kernel/storage/live-settings.ts'

const TAGS = [{ name: 'Server', description: 'The program, its settings and its jobs.' }]

export type ServerFacts = {
  readonly mode: Mode
  /** Its number on the wire. */
  readonly network: number
  readonly databaseUrl: string | undefined
  readonly live: Pick<LiveSettings, 'shownNow'>
  readonly jobs: Pick<JobRunner, 'list' | 'isLeader'>
  readonly hops: Pick<UnreadableHops, 'warning'>
  cautions(): Promise<readonly Caution[]>
  diskUse(): Promise<DiskUse>
  /** Unix ms. */
  readonly startedMs: number
  /** The number of the last migration. */
  readonly schema: number
}

const MEND_PROXY = 'correct the proxy or ROOKERY_TRUSTED_PROXIES, then restart the server'

const Setting = Type.Object({
  variable: Type.String(),
  group: Type.String(),
  what: Type.String(),
  source: Type.Enum(['room', 'environment', 'default', 'unset'], {
    description: '`room`: it was changed while the server ran (`GET /server/settings`).',
  }),
  value: Type.Optional(
    Type.String({ description: 'Absent when nothing is set, and for every secret.' }),
  ),
  isSecret: Type.Boolean(),
  isLocked: Type.Boolean({
    description: 'The environment alone decides, although it is one of `GET /server/settings`.',
  }),
})

const Job = Type.Object({
  name: Type.String(),
  scope: Type.Enum(['leader', 'process']),
  everySeconds: Type.Number(),
  isRunning: Type.Boolean(),
  lastAt: Type.Optional(Type.Integer({ description: 'Unix seconds when it last ended.' })),
  lastSeconds: Type.Optional(Type.Number({ description: 'How long that took.' })),
  lastOutcome: Type.Optional(Type.Enum(['succeeded', 'failed', 'aborted'])),
})

/** A proxy that hides its clients is found by its requests, and the rest by asking the database. */
async function cautionsOf({ cautions, hops }: ServerFacts) {
  const ofDatabase = (await cautions()).map((one) => ({ about: 'database' as const, ...one }))
  if (hops.warning === undefined) return ofDatabase
  return [...ofDatabase, { about: 'proxy' as const, found: hops.warning, mend: MEND_PROXY }]
}

/** What this process is, how it was set up and what it does by itself. */
export const serverRoutes = (facts: ServerFacts): Route[] => [
  route('GET /server', {
    callers: 'operator',
    summary: 'The program and its settings',
    description:
      'Every setting with its value and where that comes from. Secrets are named without their values. They are read at the start: to change one that is not among `GET /server/settings`, change the environment and start again.',
    tags: TAGS,
    reply: Type.Object({
      version: Type.String(),
      node: Type.String(),
      mode: Type.Enum(['development', 'production']),
      network: Type.String(),
      engine: Type.Enum(['sqlite', 'postgres']),
      schema: Type.Integer({ description: 'The newest migration that the program knows.' }),
      startedAt: Type.Integer({ description: 'Unix seconds.' }),
      settings: Type.Array(Setting),
      disk: Type.Object({
        usedBytes: Type.Integer({ description: 'Of the data; files elsewhere do not count.' }),
        quotaBytes: Type.Optional(Type.Integer({ description: 'Absent: there is no quota.' })),
        share: Type.Number({
          description:
            'Of the quota. Uploads are refused from 0.9 on, and new messages from 1 on where storage grows.',
        }),
      }),
      cautions: Type.Array(
        Type.Object({
          about: Type.Enum(['database', 'proxy'] as const),
          found: Type.String(),
          mend: Type.String({ description: 'What the administrator can do.' }),
        }),
        { description: 'What endangers the data or the service, and what to do.' },
      ),
    }),
    errors: [],
    cost: 'lookup',
    handler: async () => ({
      version: VERSION,
      node: process.versions.node,
      mode: facts.mode,
      network: networkName(facts.network),
      engine: engineOf(facts),
      schema: facts.schema,
      startedAt: Math.floor(facts.startedMs / SECOND_MS),
      settings: await facts.live.shownNow(),
      disk: diskJson(await facts.diskUse()),
      cautions: await cautionsOf(facts),
    }),
  }),
  route('GET /jobs', {
    callers: 'operator',
    summary: 'The jobs of this process',
    description:
      'Jobs of scope `leader` run in one process of all that share the database. What is said about the last run is of this process.',
    tags: TAGS,
    reply: Type.Object({ isLeader: Type.Boolean(), jobs: Type.Array(Job) }),
    errors: [],
    cost: 'lookup',
    handler: () => ({ isLeader: facts.jobs.isLeader(), jobs: facts.jobs.list().map(jobJson) }),
  }),
]

const diskJson = ({ usedBytes, quotaBytes, share }: DiskUse) => ({
  usedBytes,
  ...(quotaBytes !== undefined && { quotaBytes: Math.floor(quotaBytes) }),
  share,
})

const engineOf = ({ databaseUrl }: ServerFacts): 'sqlite' | 'postgres' =>
  databaseUrl === undefined ? 'sqlite' : 'postgres'

const jobJson = ({ name, scope, everyMs, isRunning, last }: JobState) => ({
  name,
  scope,
  everySeconds: everyMs / SECOND_MS,
  isRunning,
  ...(last && {
    lastAt: Math.floor(last.endedMs / SECOND_MS),
    lastSeconds: last.seconds,
    lastOutcome: last.outcome,
  }),
})
