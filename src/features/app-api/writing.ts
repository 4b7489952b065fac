import type { StoreContext } from '../../kernel/app-api/context.ts'
import { Secrets } from '../../kernel/app-api/secrets.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Route } from '../../kernel/http/route.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { ModuleContext } from '../../kernel/module.ts'
import { HOUR_MS } from '../../kernel/protocol/time.ts'
import type { OnChainEvent } from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { Deliveries } from '../../kernel/views/port.ts'
import { SEALED } from '../index.ts'
import type { MiniAppPort } from '../mini-apps/app-api/context.ts'
import { noticesJob, pushCounter, pushSubject, sendingJob } from '../push/port.ts'
import {
  RecoveryService,
  recoveryOperatorRoutes,
  recoveryRoutes,
  registerRecoveryMetrics,
} from '../recovery/port.ts'
import { FidStock, type Registrations } from '../registration/port.ts'
import { Signers, type SignInPort } from '../signers/port.ts'
import { deliveryJob, Webhooks } from '../webhooks/port.ts'
import type { MediaPort, PlatformPort, PreviewsPort, SubmitAll } from './ports.ts'
import type { AppConfig } from './settings.ts'
import { Publisher } from './writes/publisher.ts'
import { writeRoutes } from './writes/routes.ts'

/** Expired rows that one transaction deletes. */
const MAX_DELETED = 1_000

export type WritingPorts = {
  readonly platform: PlatformPort
  readonly miniApps: MiniAppPort
  readonly submitAll: SubmitAll
  readonly signIn: SignInPort
  readonly previews: PreviewsPort
  readonly media: MediaPort
  /** Whom people can ask, as the operator states it; '' for nobody. */
  readonly contact: () => Promise<string>
  /** Where accounts are kept by this server; undefined when they are followed from a chain. */
  readonly registrations: Registrations | undefined
  /** What webhooks have yet to be sent. */
  readonly deliveries: Deliveries
}

/** `network` is the number of the network that messages are made for. */
type Config = Pick<AppConfig, 'signerSecret' | 'recoveryDays'> &
  Pick<StorageConfig, 'dataDir' | 'network'> & {
    /** Whether webhooks may be on this machine, over http. */
    readonly fetchLoopback: boolean
    readonly publicUrl: string | undefined
  }

type Writing = {
  readonly routes: Route[]
  readonly accountRoutes: Route[]
  readonly operatorRoutes: Route[]
  readonly jobs: Job[]
  readonly secrets: Secrets
  readonly onMerged: (tx: Writer, events: readonly OnChainEvent[]) => Promise<void>
}

/** The part of the app API that writes for users: signers, and the calls that use them. */
export function createWriting(
  {
    storage,
    clock,
    logger,
    metrics,
  }: Pick<ModuleContext, 'storage' | 'clock' | 'logger' | 'metrics'>,
  { recoveryDays: days, network, publicUrl, fetchLoopback: allowLoopback, ...config }: Config,
  context: StoreContext,
  { deliveries: queue, ...ports }: WritingPorts,
): Writing {
  const { platform, submitAll, registrations } = ports
  const now = () => unixSeconds(clock)
  const { signerSecret, dataDir } = config
  const secrets = new Secrets({ storage, sealed: SEALED, signerSecret, dataDir, log: logger })
  const recovery = new RecoveryService({ storage, secrets, registrations, days, now, log: logger })
  registerRecoveryMetrics(storage, metrics)
  const signers = new Signers({ storage, platform, secrets, now })
  const publisher = new Publisher({ storage, submitAll, network, nowMs: context.nowMs })
  const webhooks = new Webhooks({ storage, secrets, now })
  const cleanUp: Job = {
    name: 'app API clean-up',
    scope: 'leader',
    everyMs: HOUR_MS,
    async run() {
      await signers.followWaiting()
      for (const rows of [signers, publisher]) {
        for (let deleted = MAX_DELETED; deleted === MAX_DELETED; ) {
          deleted = await rows.deleteExpired(MAX_DELETED)
        }
      }
    },
  }
  return {
    secrets,
    routes: writeRoutes({
      ...context,
      ...ports,
      ...{ publisher, signers, webhooks, allowLoopback },
      fids: new FidStock({ storage, secrets, registrations, now }),
    }),
    accountRoutes: recoveryRoutes({ recovery, storage }),
    operatorRoutes: recoveryOperatorRoutes({ recovery, storage }),
    onMerged: (tx, events) => recovery.onMerged(tx, events),
    jobs: [
      cleanUp,
      recovery.job,
      deliveryJob({ context, webhooks, queue, allowLoopback }, metrics, logger),
      noticesJob(context),
      sendingJob({
        storage,
        subject: async () => pushSubject(publicUrl, await ports.contact()),
        rules: { allowLoopback },
        nowMs: context.nowMs,
        isActiveKey: platform.isActiveKey,
        count: pushCounter(storage, metrics),
      }),
    ],
  }
}
