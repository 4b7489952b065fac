import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AnswerOf } from '../../client/client.ts'
import type { OperationsOperations } from '../../client/generated/operations.ts'
import type { ClientConfig } from '../../config.ts'
import { group } from '../call-command.ts'
import { hint, oneLine, printResult } from '../output.ts'
import { progressBar } from '../progress.ts'
import { asOperator, type OperatorOptions, operatorCall, operatorCalls } from './operator.ts'

const POLL_MS = 500
const REASON_CHARACTERS = 300

const status = operatorCall('status', 'GET /views', { line: lineOf })

const setAside = operatorCall('set-aside', 'GET /views/set-aside', {
  each: ({ setAside }) => setAside,
  line: ({ part, id, reason, version, at }) =>
    `${new Date(at).toISOString()} ${part} ${id} (version ${version}): ${oneLine(reason, REASON_CHARACTERS)}`,
})

function addRebuild(views: Command, config: ClientConfig): void {
  asOperator(views.command('rebuild'), config)
    .summary('delete the views and build them again')
    .addHelpText('after', '\nExample:\n  rookery views rebuild')
    .action(async (options: OperatorOptions) => {
      const calls = operatorCalls(options, config)
      await calls.ask('POST /views/rebuild')
      const bar = progressBar('Building the views')
      let found = await calls.ask('GET /views')
      for (; found.status === 'building'; found = await calls.ask('GET /views')) {
        bar.update(percentOf(found), 100)
        await sleep(POLL_MS)
      }
      bar.stop()
      printResult(options, found, lineOf(found))
    })
}

type Status = AnswerOf<OperationsOperations['get'], '/views'>

const percentOf = ({ ratio = 0 }: Status) => Math.floor(ratio * 100)

function lineOf(found: Status): string {
  const { status, cursor, lagSeconds, setAside, failure } = found
  const lines = [
    status === 'ready'
      ? `The views are at event ${cursor}, ${lagSeconds} seconds behind.`
      : `The views are being built: ${percentOf(found)} %.`,
  ]
  if (failure !== undefined) {
    lines.push(`The last attempt failed: ${oneLine(failure, REASON_CHARACTERS)}`)
  }
  if (setAside > 0) lines.push(`Set aside: ${setAside}. See: ${hint('views set-aside')}`)
  return lines.join('\n')
}

/** The tables behind feeds, counts, search and notifications. */
export const addViewsCommands = group(
  'views',
  'The tables behind the app API (operator). Sends ROOKERY_OPS_TOKEN.',
  'status',
  [status, setAside, addRebuild],
)
