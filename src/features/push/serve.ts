import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { SAY_TO_ACCOUNTS } from '../languages/port.ts'
import { MAILS } from '../mail/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { pushCounter } from './metrics.ts'
import { noticesJob } from './notices-job.ts'
import { PUSHES } from './port.ts'
import { pushNotice } from './push-notice.ts'
import { pushRoutes } from './routes.ts'
import { sendingJob } from './sending.ts'
import { pushSubject } from './subject.ts'
import { pushRows } from './tables/pushes.ts'

type Config = { readonly publicUrl: string | undefined }

export function serve({ config, storage, metrics, find, of, offer }: Server<Config>): Module {
  const app = find(APP_API)
  const sayTo = of(SAY_TO_ACCOUNTS)
  offer(PUSHES, {
    notify: pushNotice,
    tell: async (tx, { texts, mail: content, ...notice }, now) => {
      const { fid, expiresAt, isFirst } = notice
      const kind = isFirst ? 'veto' : 'security'
      if (content) await find(MAILS)?.tell(tx, { fid, kind, content, expiresAt }, now)
      const say = (await sayTo(tx, [fid]))(fid)
      return pushNotice(tx, { ...notice, ...texts(say), kind: 'account' }, now)
    },
    announce: async (tx, id) => {
      // Without the views there are no notices.
      if (app) await tx.of(pushRows).addShown(id)
    },
    fidsWithDevices: ({ of }, fids) => of(pushRows).fidsWithDevices(fids),
  })
  if (!app) return { name: 'push' }
  const contact = async () => (await of(SERVER_FACE).read()).contact
  return {
    name: 'push',
    routes: { app: pushRoutes(app) },
    jobs: [
      noticesJob({ ...app, sayTo }),
      sendingJob({
        storage,
        subject: async () => pushSubject(config.publicUrl, await contact()),
        rules: { allowLoopback: app.allowLoopback },
        nowMs: app.nowMs,
        isActiveKey: app.platform.isActiveKey,
        count: pushCounter(storage, metrics),
      }),
    ],
  }
}
