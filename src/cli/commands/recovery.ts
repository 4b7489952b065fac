import { userInfo } from 'node:os'
import { group } from '../call-command.ts'
import { oneLine, timeText } from '../output.ts'
import { operatorCall } from './operator.ts'

const NOTE_CHARACTERS = 120
const DECISION = { actor: { preset: userInfo().username } }
const EXAMPLE = `0x${'5b'.repeat(20)} --fid 12 --asked-at 1795000000 --reason "known from the club"`

export const addRecoveryCommands = group(
  'recovery',
  'Accounts whose owners have lost every key (operator). Sends ROOKERY_OPS_TOKEN.',
  'list',
  [
    operatorCall('list', 'GET /app/recoveries', {
      each: ({ requests }) => requests,
      line: ({ receiver, fid, username, lastSeenAt, note, askedAt, movesAt }) => {
        const state = movesAt === null ? 'not decided' : `moves at ${timeText(movesAt)}`
        const request = `${receiver} --fid ${fid} --asked-at ${askedAt}`
        const who = `fid ${fid}${username === undefined ? '' : ` (${username})`}`
        const seen = lastSeenAt === undefined ? '' : `, last seen ${timeText(lastSeenAt)}`
        const said = oneLine(note, NOTE_CHARACTERS)
        return `${request}: ${timeText(askedAt)} ${who}${seen}, ${state}: ${said}`
      },
    }),
    operatorCall('start', 'POST /app/recoveries/{receiver}/start', {
      example: EXAMPLE,
      args: ['receiver'],
      fields: DECISION,
      line: ({ fid, movesAt }) => `fid ${fid} moves to the new key at ${timeText(movesAt!)}`,
    }),
    operatorCall('refuse', 'POST /app/recoveries/{receiver}/refuse', {
      example: EXAMPLE,
      args: ['receiver'],
      fields: DECISION,
      line: ({ fid }) => `the request for fid ${fid} is refused`,
    }),
  ],
)
