import { userInfo } from 'node:os'
import { group } from '../call-command.ts'
import type { Calls } from '../calls.ts'
import { operatorCall } from './operator.ts'

const CHANGE = {
  actor: { preset: userInfo().username },
  reason: { help: 'why, for the log of moderation' },
}

const RECOVERY = 'ROOKERY_RECOVERY_DAYS'

/** What happens to moves that wait when the recovery service gets this value; without one, that of the machine. */
async function stoppedMoves(
  calls: Calls<'operations'>,
  { variable, value }: { readonly variable: string; readonly value?: string },
): Promise<string | undefined> {
  if (variable !== RECOVERY) return undefined
  const { settings } = await calls.ask('GET /server/settings', {})
  const setting = settings.find((one) => one.variable === RECOVERY)
  if (!setting || setting.value === setting.off || (value ?? setting.given) !== setting.off) {
    return undefined
  }
  const { requests } = await calls.ask('GET /app/recoveries', {})
  const moves = requests.filter(({ movesAt }) => movesAt !== null).length
  if (moves === 0) return undefined
  return `${moves === 1 ? '1 move of an account waits' : `${moves} moves of accounts wait`}, and turning recovery off stops ${moves === 1 ? 'it' : 'them'}: each is an undecided request again`
}

export const addSettingCommands = group(
  'setting',
  'Settings that may be changed while the server runs (operator). Sends ROOKERY_OPS_TOKEN.',
  'set ROOKERY_SIGNUP approval',
  [
    operatorCall('list', 'GET /server/settings', {
      each: ({ settings }) => settings,
      line: ({ variable, value, source, isLocked, title }) =>
        `${variable}=${value} (${isLocked ? 'locked on the machine' : source}) ${title}`,
    }),
    operatorCall('set', 'PUT /server/settings/{variable}', {
      example: 'ROOKERY_SIGNUP approval',
      args: ['variable', 'value'],
      fields: CHANGE,
      asks: stoppedMoves,
      line: ({ variable, value }) => `${variable} is ${value} now`,
    }),
    operatorCall('reset', 'POST /server/settings/{variable}/reset', {
      example: 'ROOKERY_SIGNUP',
      args: ['variable'],
      fields: CHANGE,
      asks: stoppedMoves,
      line: ({ variable, value }) => `${variable} is ${value} again, as the machine says`,
    }),
  ],
)
