import { pathFrom } from '../../kernel/grpc/server-path.ts'
import type { MirrorInfo } from '../../kernel/hub/reads/reads.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import { GIB } from '../../kernel/protocol/sizes.ts'
import { COPIED_HUB, COPY_TERMS, type Server, type ServerStart } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { claimMirror } from './claim.ts'
import { addMirrorGauges, createMirrorMetrics, type MirrorFigures } from './metrics.ts'
import { Mirror } from './mirror.ts'
import { MIRROR_STATUS } from './port.ts'
import { mirrorRoutes, noMirror } from './routes.ts'
import { certificatesIn, type MirrorConfig, type SourceAddress } from './settings.ts'
import { Source } from './source/source.ts'
import { type MirrorStatus, mirrorStatus } from './status.ts'
import { Forwarder } from './submits.ts'
import { mirrorRows } from './tables/mirror.ts'
import { comparedWith, comparedWithSource } from './verify/compared.ts'

type Config = MirrorConfig &
  Pick<StorageConfig, 'network' | 'dataDir' | 'databaseUrl'> & {
    readonly chainRpcUrls: readonly string[]
    readonly registryUrl: string | undefined
  }

const RUN_MS = 1_000
/** Each person is compared with the source again at least this often: events that were lost are found in a week. */
const CHECK_DAYS = 7
const RECHECK_MS = 60_000

export async function begin({ config, storage, offer }: ServerStart<Config>): Promise<void> {
  await claimMirror(storage, config)
  const isMirroring = config.mirrorUrls.length > 0
  if (!isMirroring && !config.mirrorEnded) return
  const isPartial = isMirroring && config.mirrorScope === 'chosen'
  offer(COPY_TERMS, { refusesSubmits: refusesSubmits(config), isPartial })
}

/** Mirrors another hub. Only the process that holds the leader lease does. */
export function serve(context: Server<Config>): Module {
  const { config, hub, ownId, signingNetwork, mergeEvents, offer } = context
  if (config.mirrorUrls.length === 0) {
    return { name: 'mirror', operatorRoutes: mirrorRoutes({ parts: noMirror }) }
  }
  const { storage, clock, logger, jobs } = context
  const metrics = createMirrorMetrics(context.metrics)
  const ca = certificatesIn(config.mirrorCa)
  const limits = { rate: config.mirrorRate, concurrency: config.mirrorConcurrency }
  const open = (
    addresses: readonly SourceAddress[],
    headers: Readonly<Record<string, string>>,
    id?: { readonly ownId: string },
  ): Source => new Source({ addresses, headers, ...id, ca, ...limits, onRequest: metrics.request })
  const source = open(config.mirrorUrls, config.mirrorHeaders, { ownId })
  const followsChain = config.chainRpcUrls.length > 0
  const acceptsUnknownSigners = config.mirrorUnknownSigners === 'accept'
  const mirror = new Mirror({
    storage,
    clock,
    hub,
    mergeAccounts: followsChain ? undefined : mergeEvents,
    takesNames: config.registryUrl === undefined,
    source,
    network: config.network,
    acceptsUnknownSigners,
    chainId: signingNetwork.chainId,
    checkDays: CHECK_DAYS,
    contextDepth: config.mirrorScope === 'all' ? 0 : config.mirrorContextDepth,
    recheckMs: RECHECK_MS,
    metrics,
    log: logger,
    isAll: config.mirrorScope === 'all',
    concurrency: config.mirrorConcurrency,
    minFreeBytes: config.mirrorMinFreeGib * GIB,
    dataDir: config.databaseUrl ? undefined : config.dataDir,
  })
  const status = () =>
    mirrorStatus({
      storage,
      mirror,
      trust: [
        followsChain
          ? `accounts from chain ${signingNetwork.chainId}, messages from ${source.host}`
          : `accounts and messages from ${source.host}`,
        ...(acceptsUnknownSigners ? ['messages of unknown keys are accepted'] : []),
      ].join('; '),
      host: source.host,
      isLeader: jobs.isLeader,
      now: () => clock.now(),
    })
  addGauges(context, status, source)
  offer(MIRROR_STATUS, status)
  offer(COPIED_HUB, {
    info: async () => infoOf(await status(), config),
    forwarder:
      config.mirrorSubmits === 'forward'
        ? new Forwarder({
            ...{ hub, storage, source, clock, metrics, ownId },
            believesKeys: !followsChain,
          })
        : undefined,
    path: async () => pathFrom(ownId, (await storage.of(mirrorRows).source())?.path ?? ''),
  })
  return {
    name: 'mirror',
    jobs: [followJob(mirror)],
    details: { mirror: status },
    operatorRoutes: mirrorRoutes({
      parts: () => ({
        mirror,
        storage,
        status,
        toVerify: () => comparedWithSource({ storage, clock }, source),
        against: (other) =>
          comparedWith({ storage, clock }, other, (address, headers) => open([address], headers)),
        concurrency: config.mirrorConcurrency,
      }),
    }),
    abort: () => source.close(),
  }
}

const infoOf = (
  { source, kind, trust, people, shards, isComplete }: MirrorStatus,
  { mirrorScope: scope, mirrorSubmits: submits }: MirrorConfig,
): MirrorInfo => ({
  host: source,
  kind,
  scope,
  people: people.waiting + people.live + people.differ,
  lagSeconds: Math.max(0, ...shards.map(({ lagSeconds }) => lagSeconds)),
  isComplete,
  trust,
  submits,
})

/** One run lasts as long as this process leads. */
const followJob = (mirror: Mirror): Job => ({
  name: 'mirror',
  scope: 'leader',
  everyMs: RUN_MS,
  firstAfterMs: 0,
  run: (run) => mirror.run(run),
})

/** Figures of the store are as old as the last look at them, at most this long. */
const GAUGE_MS = 5_000

function addGauges(
  { metrics, clock }: ModuleContext,
  status: () => Promise<MirrorStatus>,
  source: Source,
): void {
  let known: Promise<MirrorFigures | undefined> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  addMirrorGauges(metrics, () => {
    if (known && performance.now() - readAt < GAUGE_MS) return known
    readAt = performance.now()
    // A store that does not answer is another alert.
    known = status().then(
      (found) => figuresOf(found, source, clock.now()),
      () => undefined,
    )
    return known
  })
}

const figuresOf = (
  { shards, people, quarantine, oldestCheck, stopped }: MirrorStatus,
  { throttledMs }: Pick<Source, 'throttledMs'>,
  now: number,
): MirrorFigures => ({
  lagSeconds: Object.fromEntries(shards.map(({ shard, lagSeconds }) => [shard, lagSeconds])),
  oldestCheckSeconds: oldestCheck ? Math.max(0, (now - Date.parse(oldestCheck)) / 1_000) : 0,
  throttledSeconds: throttledMs / 1_000,
  isStopped: stopped !== null,
  people,
  quarantine,
})

/** What clients are told who submit messages to a mirror. */
const refusesSubmits = ({
  mirrorUrls,
  mirrorSubmits,
}: Pick<MirrorConfig, 'mirrorUrls' | 'mirrorSubmits'>): string | undefined => {
  const [first] = mirrorUrls
  if (first && mirrorSubmits === 'forward') return undefined
  return first
    ? `this server mirrors ${first.host}:${first.port}: submit messages there`
    : 'this server was a mirror and takes no messages'
}
