import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { asOperator, type OperatorOptions, operatorCaller } from './operator.ts'
import { print, printJson } from './output.ts'
import { progressBar } from './progress.ts'

const POLL_MS = 500

type Options = OperatorOptions & { json?: true }
/** As the operations interface gives it. */
type Status = {
  status: 'ready' | 'building'
  cursor: number
  lagSeconds: number
  ratio?: number
}

/** Adds views status and rebuild: the tables behind feeds, counts, search and notifications. */
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

const lineOf = ({ status, cursor, lagSeconds, ratio }: Status): string =>
  status === 'ready'
    ? `The views are at event ${cursor}, ${lagSeconds} seconds behind.`
    : `The views are being built: ${Math.floor((ratio ?? 0) * 100)} %.`
