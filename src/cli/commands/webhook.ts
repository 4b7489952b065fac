import { group } from '../call-command.ts'
import { oneLine } from '../output.ts'
import { operatorCall } from './operator.ts'

const TITLE_CHARACTERS = 64

export const addWebhookCommands = group(
  'webhook',
  'Webhooks of the apps of the app API (operator). Sends ROOKERY_OPS_TOKEN.',
  'list',
  [
    operatorCall('list', 'GET /app/webhooks', {
      each: ({ webhooks }) => webhooks,
      line: ({ id, app, title, targetUrl, active, waiting, fault }) => {
        const state = active ? 'active' : `inactive${fault === undefined ? '' : ` (${fault})`}`
        return `${id} app ${app} ${state}, ${waiting} waiting: ${oneLine(title, TITLE_CHARACTERS)} ${targetUrl}`
      },
    }),
  ],
)
