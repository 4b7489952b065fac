import { unixSeconds } from '../../kernel/base/clock.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { APP_API } from '../app-api/port.ts'
import { CAN_RECOVER } from '../recovery/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { accountChanges } from './account-changes.ts'
import { Composer } from './compose.ts'
import { hiddenNames, pageLinks } from './links.ts'
import { mailCounter } from './metrics.ts'
import { mailOperatorRoutes } from './operator-routes.ts'
import { OwnAddresses } from './own-address.ts'
import { MAILS } from './port.ts'
import { tellByMail } from './queue.ts'
import { mailRoutes } from './routes.ts'
import { sendingJob } from './sending.ts'
import type { MailConfig } from './settings.ts'
import { openSmtp } from './smtp.ts'

type Config = MailConfig & Pick<HttpConfig, 'publicUrl'> & Pick<StorageConfig, 'network'>

export function serve(server: Server<Config>): Module | undefined {
  const { config, storage, metrics, clock, logger: log, find, offer } = server
  const { accounts, verifiers, domains } = server
  const app = find(APP_API)
  if (!app) return undefined
  const place = config.smtp
  const nowMs = () => clock.now()
  const hidden = hiddenNames(() => app.secrets.derive('names of mail addresses'))
  const composer = new Composer({
    from: place?.from ?? '',
    publicUrl: config.publicUrl ?? '',
    serverName: async () => (await find(SERVER_FACE)?.read())?.name ?? 'Rookery',
    nowMs,
  })
  const operatorRoutes = mailOperatorRoutes({ place, storage, composer, nowMs })
  if (!place) {
    return {
      name: 'mail',
      operatorRoutes,
      routes: { accounts: mailRoutes({ addresses: undefined }) },
    }
  }
  const page = pageLinks(config.publicUrl!)
  const addresses = new OwnAddresses({
    ...{ storage, page, hidden, publicUrl: config.publicUrl!, nowMs },
    canRecover: async (fid) => (await find(CAN_RECOVER)?.(fid)) ?? false,
    owner: {
      ...{ accounts, verify: verifiers.verify, now: () => unixSeconds(clock) },
      domain: domains.idRegistry,
      network: networkName(config.network),
    },
  })
  const tellChanges = accountChanges({ find, publicUrl: config.publicUrl!, nowMs })
  offer(MAILS, {
    tell: tellByMail,
    takeWayBack: (tx, token, fid) => addresses.takeWayBack(tx, token, fid),
    page,
    publicUrl: config.publicUrl!,
  })
  return {
    name: 'mail',
    operatorRoutes,
    routes: { accounts: mailRoutes({ addresses }) },
    onMerged: (tx, _, events) => tellChanges(tx, events),
    jobs: [
      sendingJob({
        storage,
        open: () => openSmtp(place),
        compose: (mail) => composer.compose(mail),
        hidden,
        nowMs,
        count: mailCounter(storage, metrics, nowMs),
        log,
      }),
    ],
  }
}
