import { randomBytes } from 'node:crypto'
import { unixSeconds } from '../base/clock.ts'
import type { Route } from '../http/route.ts'
import type { Job } from '../jobs/job.ts'
import type { ModuleContext } from '../module.ts'
import type { StorageConfig } from '../storage/settings.ts'
import type { AppContext } from './context.ts'
import type { PlatformPort, SubmitAll } from './ports.ts'
import type { AppConfig } from './settings.ts'
import { createSecrets, type Secrets } from './signers/secrets.ts'
import { signerRoutes } from './signers/signer-routes.ts'
import { createSigners } from './signers/signers.ts'
import type { DeliveryQueue } from './webhooks/courier.ts'
import { deliveryJob } from './webhooks/delivering.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import type { WritesContext } from './writes/context.ts'
import { createPublisher } from './writes/publisher.ts'
import { writeRoutes } from './writes/routes.ts'

const HOUR_MS = 3_600_000

export type WritingPorts = {
  readonly platform: PlatformPort
  readonly submitAll: SubmitAll
  /** What webhooks have yet to be sent. */
  readonly deliveries: DeliveryQueue
}

/** `network` is the number of the network that messages are made for. */
type Config = Pick<AppConfig, 'signerSecret'> &
  Pick<StorageConfig, 'dataDir' | 'network'> & {
    /** Whether webhooks may be on this machine, over http. */
    readonly fetchLoopback: boolean
  }

/** What writes for users: signers, and the calls that use them. */
export function createWriting(
  {
    storage,
    clock,
    logger,
    metrics,
  }: Pick<ModuleContext, 'storage' | 'clock' | 'logger' | 'metrics'>,
  config: Config,
  context: AppContext,
  ports: WritingPorts,
): { readonly routes: Route[]; readonly jobs: Job[]; readonly secrets: Secrets } {
  const { platform, submitAll } = ports
  const { network } = config
  const { signerSecret, dataDir } = config
  const secrets = createSecrets({ storage, signerSecret, dataDir, log: logger })
  const signers = createSigners({
    ...{ storage, platform, secrets, randomBytes },
    now: () => unixSeconds(clock),
  })
  const publisher = createPublisher({ storage, submitAll, network, nowMs: () => clock.now() })
  const writes: WritesContext = {
    ...context,
    ...{ publisher, signers, platform, submitAll },
    newestNoticeAt: async () => 0,
  }
  const allowLoopback = config.fetchLoopback
  const webhooks = createWebhooks({ storage, secrets, randomBytes, now: () => unixSeconds(clock) })
  const queue = ports.deliveries
  const deliver = deliveryJob({ context, webhooks, queue, allowLoopback, metrics, log: logger })
  const forget: Job = {
    name: 'app API clean-up',
    scope: 'leader',
    everyMs: HOUR_MS,
    async run() {
      await signers.forget()
      await publisher.forget()
    },
  }
  return {
    secrets,
    routes: [
      ...writeRoutes(writes),
      ...signerRoutes({ signers, platform }),
      ...webhookRoutes(webhooks, { allowLoopback }),
    ],
    jobs: [forget, deliver],
  }
}
