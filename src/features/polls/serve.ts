import type { Mode } from '../../kernel/base/setting.ts'
import { isLoopbackHost } from '../../kernel/base/web-domain.ts'
import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { SAY_TO_ACCOUNTS } from '../languages/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { SNAPS } from '../snaps/port.ts'
import { POLLS_PATH } from './address.ts'
import { appPollRoutes } from './app-routes.ts'
import { cleaningJob } from './cleaning.ts'
import { ownSnaps } from './own-snaps.ts'
import { platformPollRoutes } from './platform-routes.ts'
import { type PollContext, pollAmong, removePoll, removePollIn } from './polls.ts'
import { POLLS } from './port.ts'
import { snapRoutes } from './snap-routes.ts'

type Config = { readonly publicUrl: string | undefined }

const NO_SNAPS = 'this server shows no snaps, and a poll is one'

/** Pages of snaps name addresses with https alone, but for those of this machine. */
function refusalOf(publicUrl: string | undefined, mode: Mode): string | undefined {
  if (publicUrl === undefined) {
    return mode === 'development' ? undefined : 'polls need ROOKERY_PUBLIC_URL, an https address'
  }
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined
  return `polls need a public address with https, and this server has ${publicUrl}`
}

export function serve({ config, mode, platform, find, of, offer }: Server<Config>): Module {
  let listening = ''
  // As a parser writes it: addresses of polls are compared with it.
  const publicUrl = config.publicUrl && new URL(config.publicUrl).href.replace(/\/$/, '')
  const snaps = of(SNAPS)
  const context: PollContext = {
    ...platform,
    refusal: snaps.isOff ? NO_SNAPS : refusalOf(publicUrl, mode),
    urlOf: (id) => `${publicUrl ?? listening}${POLLS_PATH}${id}`,
  }
  snaps.serveHere(ownSnaps({ ...context, sayTo: of(SAY_TO_ACCOUNTS) }))
  offer(POLLS, {
    remove: (poll, record) => removePoll(context, poll, record),
    among: (urls) => pollAmong(context, urls),
    removeIn: removePollIn,
  })
  const app = find(APP_API)
  return {
    name: 'polls',
    routes: {
      web: bind({ context, snaps, faces: of(SERVER_FACE) }, snapRoutes),
      platform: limitedTogether(bind({ context, actorOf: platform.actorOf }, platformPollRoutes)),
      app: app && bind({ context, signers: app.signers }, appPollRoutes),
    },
    jobs: [cleaningJob(context)],
    listening: (name, url) => {
      if (name === 'web') listening = url
    },
  }
}
