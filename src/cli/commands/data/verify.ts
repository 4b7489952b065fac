import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import type { FileCheck } from '../../../features/media/lost-files.ts'
import type { Report } from '../../../kernel/hub/jobs/integrity-check.ts'
import { acceptedNetwork } from '../../../kernel/hub/settings.ts'
import { EXIT_FAILED } from '../../failure.ts'
import { oneLine, print, printJson } from '../../output.ts'
import { progressBar } from '../../progress.ts'
import { checkData } from '../../stored-data.ts'
import { FORGET_SECRETS, forgetSecrets } from './backup.ts'

const EXAMPLE_CHARACTERS = 300

type Env = Readonly<Record<string, string | undefined>>

export function addVerifyCommand(program: Command, env: Env): void {
  program
    .command('verify')
    .summary('check the integrity of stored data')
    .description(
      'Rebuilds every index, counter and slot from the stored messages and reports differences; exits\n' +
        'with 1 when there are any, when bytes of pictures and videos are lost, or when secrets of signers and\n' +
        'webhooks cannot be opened with the key of the server. Stop the server first: nothing may write during the check.\n' +
        'Reads the store of the settings (ROOKERY_DATA_DIR or DATABASE_URL, and ROOKERY_NETWORK).',
    )
    .option('--json', 'print the report as JSON')
    .option(...FORGET_SECRETS)
    .addHelpText('after', '\nExample:\n  ROOKERY_DATA_DIR=/srv/rookery rookery verify')
    .action(async ({ json, forgetSecrets }: { json?: true; forgetSecrets?: true }) => {
      const report = await verify(readConfig(env, 'development'), forgetSecrets === true)
      if (json) printJson(report)
      else printReport(report)
      const { differences, keys, files } = report
      if (differences > 0 || keys.length > 0 || files.lost > 0 || files.fault)
        process.exitCode = EXIT_FAILED
    })
}

/** The report with the faults of the server's keys, a sentence each. */
type KeyedReport = Report & {
  readonly keys: readonly string[]
  /** Sentences about the secrets that were given up. */
  readonly forgotten: readonly string[]
  readonly files: FileCheck
}

async function verify(config: Config, forgets: boolean): Promise<KeyedReport> {
  await checkData(config)
  const [{ openStore }, { verifyStore }, { findKeyFaults }, { checkFiles }] = await Promise.all([
    import('../../../app.ts'),
    import('../../../kernel/hub/jobs/integrity-check.ts'),
    import('../../../features/backups/keys.ts'),
    import('../../../features/media/lost-files.ts'),
  ])
  const storage = await openStore(config)
  const bar = progressBar('Checking messages')
  try {
    const report = await verifyStore(storage, {
      network: acceptedNetwork(config.mode, config.network),
      onProgress: bar.update,
    })
    const forgotten = forgets ? [await forgetSecrets(storage, config, [config.dataDir])] : []
    const { secrets, names } = await findKeyFaults(storage, config, [config.dataDir])
    const faults = [secrets, names].filter((fault) => fault !== undefined)
    const files = await checkFiles(storage, config)
    return { ...report, forgotten, keys: faults, files }
  } finally {
    bar.stop()
    await storage.close()
  }
}

function printReport(report: KeyedReport): void {
  const { messages, events, accounts, differences, kinds, views, examples, keys, forgotten } =
    report
  for (const example of examples) print(oneLine(example, EXAMPLE_CHARACTERS))
  const counted = `${messages} messages, ${events} events and ${accounts} accounts`
  const summary = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
  print(
    differences === 0
      ? `${counted} are as they should be.`
      : `${differences} differences in ${counted}: ${summary.join(', ')}.`,
  )
  for (const sentence of [...forgotten, ...keys]) print(sentence.trim())
  printFiles(report.files)
  if (views === 'behind') print('The views are behind and were not counted: start the server once.')
}

function printFiles({ looked, lost, examples, fault }: FileCheck): void {
  for (const example of examples) print(example)
  const mend = 'Whoever uploads such a file again mends it.'
  if (lost > 0) print(`${lost} of ${looked} pictures and videos have lost bytes. ${mend}`)
  if (fault) print(`Not all pictures and videos could be looked at: ${fault}.`)
}
