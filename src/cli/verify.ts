import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { Report } from '../hub/integrity-check.ts'
import { EXIT_FAILED } from './failure.ts'
import { oneLine, print, printJson } from './output.ts'
import { progressBar } from './progress.ts'
import { checkData } from './stored-data.ts'

const EXAMPLE_CHARACTERS = 300

type Env = Readonly<Record<string, string | undefined>>

export function addVerifyCommand(program: Command, env: Env): void {
  program
    .command('verify')
    .summary('check the integrity of stored data')
    .description(
      'Rebuilds every index, counter and slot from the stored messages and reports differences; exits\n' +
        'with 1 when there are any. Stop the server first: nothing may write during the check.\n' +
        'Reads the store of the settings (ROOKERY_DATA_DIR or DATABASE_URL, and ROOKERY_NETWORK).',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExample:\n  ROOKERY_DATA_DIR=/srv/rookery rookery verify')
    .action(async ({ json }: { json?: true }) => {
      const report = await verify(readConfig(env, 'development'))
      if (json) printJson(report)
      else printReport(report)
      if (report.differences > 0) process.exitCode = EXIT_FAILED
    })
}

async function verify(config: Config): Promise<Report> {
  await checkData(config)
  const [{ openStore }, { verifyStore }] = await Promise.all([
    import('../app.ts'),
    import('../hub/integrity-check.ts'),
  ])
  const storage = await openStore(config)
  const bar = progressBar('Checking messages')
  try {
    return await verifyStore(storage, {
      network: config.network,
      onProgress: bar.update,
    })
  } finally {
    bar.stop()
    await storage.close()
  }
}

function printReport(report: Report): void {
  const { messages, events, accounts, differences, kinds, views, examples } = report
  for (const example of examples) print(oneLine(example, EXAMPLE_CHARACTERS))
  const looked = `${messages} messages, ${events} events and ${accounts} accounts`
  const summary = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
  print(
    differences === 0
      ? `${looked} are as they should be.`
      : `${differences} differences in ${looked}: ${summary.join(', ')}.`,
  )
  if (views === 'behind') print('The views are behind and were not counted: start the server once.')
}
