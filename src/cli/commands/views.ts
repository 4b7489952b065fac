import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { oneLine, print, printJson } from '../output.ts'
import { progressBar } from '../progress.ts'
import { asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const POLL_MS = 500
/** Characters of a reason. */
const REASON = 300

type Options = OperatorOptions & { json?: true }
/** As the operations interface gives it. */
type Status = {
  status: 'ready' | 'building'
  cursor: number
  lagSeconds: number
  ratio?: number
  setAside: number
  failure?: string
}
type Aside = { part: string; id: number; reason: string; version: string; at: number }

/** Adds views status, set-aside and rebuild: the tables behind feeds, counts, search and notifications. */
export function addViewsCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const views = program
    .command('views')
    .description('The tables behind the app API (operator). Sends ROOKERY_OPS_TOKEN.')
    .addHelpText('after', '\nExample:\n  rookery views status')
  const operator = (command: Command) =>
    asOperator(command, config).option('--json', 'print the answer of the server as JSON')
  const status = (options: Options): Promise<Status> => ask(options, { path: '/views' })

  operator(views.command('status'))
    .summary('print how far the views are')
    .addHelpText('after', '\nExample:\n  rookery views status')
    .action(async (options: Options) => {
      const found = await status(options)
      if (options.json) printJson(found)
      else print(lineOf(found))
    })
  operator(views.command('set-aside'))
    .summary('print what could not be applied to the views')
    .description(
      'Prints the newest 100 entries. A newer version of the program tries each again, and so does a rebuild.',
    )
    .addHelpText('after', '\nExample:\n  rookery views set-aside')
    .action(async (options: Options) => {
      const found: { setAside: Aside[] } = await ask(options, { path: '/views/set-aside' })
      for (const one of found.setAside) {
        if (options.json) printJson(one)
        else print(asideLine(one))
      }
    })
  operator(views.command('rebuild'))
    .summary('delete the views and build them again')
    .addHelpText('after', '\nExample:\n  rookery views rebuild')
    .action(async (options: Options) => {
      await ask(options, { method: 'POST', path: '/views/rebuild' })
      const bar = progressBar('Building the views')
      let found = await status(options)
      for (; found.status === 'building'; found = await status(options)) {
        bar.update(Math.floor((found.ratio ?? 0) * 100), 100)
        await sleep(POLL_MS)
      }
      bar.stop()
      if (options.json) printJson(found)
      else print(lineOf(found))
    })
}

function lineOf({ status, cursor, lagSeconds, ratio, setAside, failure }: Status): string {
  const lines = [
    status === 'ready'
      ? `The views are at event ${cursor}, ${lagSeconds} seconds behind.`
      : `The views are being built: ${Math.floor((ratio ?? 0) * 100)} %.`,
  ]
  if (failure !== undefined) lines.push(`The last attempt failed: ${oneLine(failure, REASON)}`)
  if (setAside > 0) lines.push(`Set aside: ${setAside}. See: rookery views set-aside`)
  return lines.join('\n')
}

const asideLine = ({ part, id, reason, version, at }: Aside): string =>
  `${new Date(at).toISOString()} ${part} ${id} (version ${version}): ${oneLine(reason, REASON)}`
