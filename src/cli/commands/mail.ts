import { group } from '../call-command.ts'
import { timeText } from '../output.ts'
import { operatorCall } from './operator.ts'

export const addMailCommands = group(
  'mail',
  'E-mail of the server (operator). Sends ROOKERY_OPS_TOKEN.',
  'status',
  [
    operatorCall('status', 'GET /app/mail', {
      line: ({ server, from, waiting, oldestQueuedAt }) => {
        if (server === null) return 'no mail is sent: no mail server is set up'
        const since =
          oldestQueuedAt === null ? '' : `, the oldest since ${timeText(oldestQueuedAt)}`
        return `by ${server} from ${from}, ${waiting} waiting${since}`
      },
    }),
    operatorCall('test', 'POST /app/mail/test', {
      example: 'ada@example.org',
      args: ['to'],
      fault: ({ sent, said }) => (sent ? undefined : said),
      line: ({ server, said }) => `${server} has taken the mail (${said}): look whether it arrives`,
    }),
  ],
)
