import { useState } from 'react'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { cleanText } from '../../shared/text.ts'
import { declared } from '../parts/declared.tsx'
import { type Command, nextOf, readAll } from './calls.ts'

type Props = {
  command: Command
  input: Record<string, unknown>
  answers: readonly unknown[]
}

/** What the server answered, as it did. A list of several pages can be downloaded as a whole. */
export function Answer({ command, input, answers }: Props) {
  const text = answers.map((one) => JSON.stringify(one, undefined, 2)).join('\n')
  return (
    <>
      <p className="muted">{t('Done.')}</p>
      <section
        className="answer"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        aria-label={t('Answer: {summary}', { summary: declared(command.summary) })}
      >
        <pre>{cleanText(text)}</pre>
      </section>
      <p className="buttons">
        <CopyButton value={text} text={t('Copy the answer')} isShown />
        {command.method === 'GET' && (isExport(command) || nextOf(answers[0])) && (
          <Download command={command} input={input} />
        )}
      </p>
    </>
  )
}

const isExport = ({ path }: Command): boolean => path.endsWith('/export')

function Download({ command, input }: Omit<Props, 'answers'>) {
  const [state, setState] = useState<string>()
  const download = async () => {
    try {
      const answers = await readAll(command, input, (pages) =>
        setState(t('{pages} pages …', { pages })),
      )
      save(command, answers.map(isExport(command) ? exportedLines : toLine).join(''))
      setState(t('Downloaded.'))
    } catch (error) {
      setState((error as Error).message)
    }
  }
  return (
    <>
      <button type="button" className="secondary" onClick={download}>
        {t('Download all')}
      </button>
      <span role="status" className="muted">
        {state}
      </span>
    </>
  )
}

const toLine = (answer: unknown): string => `${JSON.stringify(answer)}\n`

/** As `rookery platform export` writes them, so that the file can be imported anywhere. */
const exportedLines = (answer: unknown): string =>
  (answer as { result: { lines: unknown[] } }).result.lines.map(toLine).join('')

function save({ path }: Command, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }))
  const name = path.slice(1).replaceAll(/[^a-z]+/g, '-')
  Object.assign(document.createElement('a'), { href: url, download: `${name}.jsonl` }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
