import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { APP_API, type AppApi } from '../app-api/port.ts'
import { SAY_TO_ACCOUNTS } from '../languages/port.ts'
import { MODERATORS } from '../moderation/port.ts'
import { type AccountNotice, PUSHES } from '../push/port.ts'
import { CAN_RECOVER, MOVING, TELL_MOVES } from '../recovery/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { accountChanges, keysJob } from './account-changes.ts'
import { AddressChanges } from './address-changes.ts'
import { Composer } from './compose.ts'
import { digestJob, postItems } from './digest.ts'
import { hiddenNames, pageLinks } from './links.ts'
import { MailServer } from './mail-server.ts'
import { mailCounter } from './metrics.ts'
import { mailOperatorRoutes } from './operator-routes.ts'
import { OwnAddresses } from './own-address.ts'
import { MAILS } from './port.ts'
import { MailQueue } from './queue.ts'
import { RefusedAddresses } from './refused-addresses.ts'
import { reportsJob } from './reports-mail.ts'
import { mailRoutes } from './routes.ts'
import { sendingJob } from './sending.ts'
import { mailServerRoutes } from './server-routes.ts'
import type { MailConfig } from './settings.ts'
import { Unsubscribing } from './unsubscribe.ts'

type Config = MailConfig & Pick<HttpConfig, 'publicUrl'> & Pick<StorageConfig, 'network'>

export function serve(server: Server<Config>): Module | undefined {
  const { config, storage, metrics, clock, logger: log, find, of, offer } = server
  const { accounts, verifiers, domains } = server
  const app = find(APP_API)
  if (!app) return undefined
  const nowMs = () => clock.now()
  const hidden = hiddenNames(() => app.secrets.derive('names of mail addresses'))
  const unsubscribing = new Unsubscribing({
    storage,
    key: () => app.secrets.derive('links that end mails'),
  })
  const faces = of(SERVER_FACE)
  const composer = new Composer({
    unsubscribing,
    postItems: (of) => postItems(app, config.publicUrl ?? '', of),
    publicUrl: config.publicUrl ?? '',
    face: faces.read,
    nowMs,
  })
  const { publicUrl } = config
  const { secrets } = app
  const mailServer = new MailServer({ given: config.smtp, publicUrl, storage, secrets })
  const { isOn } = mailServer
  const room = {
    server: mailServer,
    storage,
    secrets,
    composer,
    face: faces.read,
    publicUrl,
    nowMs,
  }
  const operatorRoutes = [...mailOperatorRoutes(room), ...mailServerRoutes(room)]
  if (publicUrl === undefined) {
    return {
      name: 'mail',
      operatorRoutes,
      routes: { accounts: mailRoutes(undefined) },
    }
  }
  const queue = new MailQueue(of(SAY_TO_ACCOUNTS), isOn)
  const page = pageLinks(publicUrl)
  const pushes = () => find(PUSHES)
  const called = async (fid: number) => calledBy(fid, (await nameOf(app, fid)).username)
  const refused = new RefusedAddresses({
    ...{ storage, hidden, page, nowMs },
    key: () => app.secrets.derive('links that refuse mail addresses'),
  })
  const changes = new AddressChanges({
    ...{ storage, page, publicUrl, queue, isOn, pushes, called, nowMs },
    isRefused: (tx, address) => refused.isRefused(tx, address),
    tellMoves: async (tx, fid) => find(TELL_MOVES)?.(tx, fid),
    moving: async (after, limit) => (await find(MOVING)?.(storage, after, limit)) ?? [],
  })
  const addresses = new OwnAddresses({
    ...{ storage, page, hidden, publicUrl, queue, changes, refused, called, isOn, nowMs },
    canRecover: async (fid) => (await find(CAN_RECOVER)?.(fid)) ?? false,
    owner: {
      ...{ accounts, verify: verifiers.verify, now: () => unixSeconds(clock) },
      domain: domains.idRegistry,
      network: networkName(config.network),
    },
  })
  const tellChanges = accountChanges({ find, publicUrl, queue, nowMs })
  offer(MAILS, {
    tell: (tx, told, now) => queue.tell(tx, told, now),
    tellAll: (tx, told, now) => queue.tellAll(tx, told, now),
    takeWayBack: (tx, token, fid) => addresses.takeWayBack(tx, token, fid),
    page,
    publicUrl,
  })
  return {
    name: 'mail',
    operatorRoutes,
    routes: {
      accounts: mailRoutes({
        isOn,
        addresses,
        changes,
        refused,
        unsubscribing,
        page,
        nameOf: (fid) => nameOf(app, fid),
      }),
    },
    onMerged: (tx, _, events) => tellChanges(tx, events),
    jobs: [
      changes.job,
      keysJob({ app, find, publicUrl, queue, nowMs }),
      digestJob({ app, publicUrl, queue, isOn, log }),
      reportsJob({ storage, publicUrl, queue, isOn, moderators: () => find(MODERATORS), nowMs }),
      sendingJob({
        storage,
        isOn,
        place: mailServer.place,
        compose: (mail, from) => composer.compose(mail, from),
        hidden,
        nowMs,
        count: mailCounter(storage, metrics, nowMs),
        tellRefused: async (tx, fid) => pushes()?.tell(tx, refusedNotice(fid), nowMs()),
        log,
      }),
    ],
  }
}

/** How everybody sees the account called. */
async function nameOf(app: AppApi, fid: number) {
  const user = (await hydrate(app, { app: '', viewer: undefined }, { users: [fid] })).user(fid)
  return { username: user?.username ?? `!${fid}`, displayName: user?.display_name ?? '' }
}

/** What mails say: its name, or its number where it has none. */
const calledBy = (fid: number, username: string): string =>
  username === `!${fid}` ? `#${fid}` : `@${username}`

const refusedNotice = (fid: number): AccountNotice => ({
  ...{ fid, mail: undefined, url: '/account#mail' },
  texts: (say) => ({
    title: say('Mails to you come back'),
    body: say(
      'Nothing more is sent to your e-mail address but links, and what touches the security of your account, once a day. Look whether it is right, and confirm it again.',
    ),
  }),
})
