import { oneLine, timeText } from '../output.ts'
import { operatorCall } from './operator.ts'

const TEXT_CHARACTERS = 300

/** Adds logs, which prints what failed. */
export const addLogsCommand = operatorCall('logs', 'GET /errors', {
  summary: 'print the newest errors of the server (operator); its whole log is its output',
  each: ({ errors }) => [...errors].reverse(),
  line: ({ at, what, message, where, requestId }) =>
    oneLine(
      [timeText(at), what, where, message, requestId].filter(Boolean).join('  '),
      TEXT_CHARACTERS,
    ),
})
