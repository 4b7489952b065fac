import { userInfo } from 'node:os'
import { group } from '../call-command.ts'
import { operatorCall } from './operator.ts'

const CHANGE = {
  actor: { preset: userInfo().username },
  reason: { help: 'why, for the log of moderation' },
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
      line: ({ variable, value }) => `${variable} is ${value} now`,
    }),
    operatorCall('reset', 'POST /server/settings/{variable}/reset', {
      example: 'ROOKERY_SIGNUP',
      args: ['variable'],
      fields: CHANGE,
      line: ({ variable, value }) => `${variable} is ${value} again, as the machine says`,
    }),
  ],
)
