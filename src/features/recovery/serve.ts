import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { APP_API } from '../app-api/port.ts'
import { MAILS } from '../mail/port.ts'
import { MODERATORS } from '../moderation/port.ts'
import { PUSHES } from '../push/port.ts'
import { registerRecoveryMetrics } from './metrics.ts'
import { CAN_RECOVER, MOVED_BY_MAIL, MOVES_AT, MOVING, TELL_MOVES } from './port.ts'
import { RecoveryService } from './recovery-service.ts'
import { recoveryOperatorRoutes, recoveryRoutes } from './routes.ts'
import { RECOVERY_SETTINGS, type RecoveryConfig } from './settings.ts'
import { recoveryRows } from './tables/recoveries.ts'
import { tellOperatorsJob } from './tell-operators.ts'

type Config = RecoveryConfig & Pick<StorageConfig, 'network'>

export function serve(server: Server<Config>): Module | undefined {
  const { config, storage, clock, metrics, logger: log, ledger, live, find, offer } = server
  const { verifiers, domains } = server
  offer(MOVES_AT, async ({ of }, fid) => {
    const due = (await of(recoveryRows).ofFid(fid)).flatMap(({ due_at }) => due_at ?? [])
    return due.length === 0 ? undefined : Math.min(...due)
  })
  offer(MOVED_BY_MAIL, async ({ of }, move) => {
    const found = await of(recoveryRows).find(move)
    return found?.by_mail === 1 ? found.asked_at : undefined
  })
  const app = find(APP_API)
  if (!app) return undefined
  const days = ledger
    ? live.use(RECOVERY_SETTINGS.settings.recoveryDays, config.recoveryDays)
    : async () => undefined
  const recovery = new RecoveryService({
    storage,
    secrets: app.secrets,
    registrations: ledger,
    days,
    signatures: {
      verify: verifiers.verify,
      domain: domains.idRegistry,
      network: networkName(config.network),
    },
    now: () => unixSeconds(clock),
    log,
    pushes: () => find(PUSHES),
    mails: () => find(MAILS),
  })
  offer(CAN_RECOVER, (fid) => recovery.canRecover(fid))
  offer(MOVING, ({ of }, after, limit) => of(recoveryRows).movingAfter(after, limit))
  offer(TELL_MOVES, (tx, fid) => recovery.tellMoves(tx, fid))
  registerRecoveryMetrics(storage, metrics)
  return {
    name: 'recovery',
    routes: { accounts: recoveryRoutes({ recovery, storage }) },
    operatorRoutes: recoveryOperatorRoutes({ recovery, storage }),
    jobs: [
      recovery.job,
      tellOperatorsJob({
        storage,
        moderators: () => find(MODERATORS),
        pushes: () => find(PUSHES),
        mails: () => find(MAILS),
        nowMs: () => clock.now(),
      }),
    ],
    onMerged: (tx, _, events) => recovery.onMerged(tx, events),
  }
}
