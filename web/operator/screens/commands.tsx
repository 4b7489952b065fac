import { useState } from 'react'
import { hasWords } from '../../client/parts/has-words.ts'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { COMMANDS, type Command } from '../commands/calls.ts'
import { CommandForm } from '../commands/command-form.tsx'
import { groupOf } from '../commands/group.ts'
import { Declared, declared } from '../parts/declared.tsx'
import { Section } from '../parts/section.tsx'

/** All that the command line does for the operator through this server. */
export function CommandsScreen() {
  const [text, setText] = useState('')
  const found = COMMANDS.filter(({ summary, path }) =>
    hasWords(text, `${declared(summary)} ${summary} ${path}`),
  )
  const groups = Map.groupBy(found, ({ path }) => groupOf(path))
  return (
    <>
      <Section
        heading={t('Commands')}
        note={t(
          'Everything that the command line does for the operator of a running server. Backups, restoring and settings need the machine.',
        )}
      >
        <label className="field">
          <span>{t('Find a command')}</span>
          <input type="search" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      </Section>
      {found.length === 0 && <Empty heading={t('No command matches')} />}
      {[...groups].map(([group, commands]) => (
        <Section key={group} heading={declared(group)}>
          {commands.map((command) => (
            <OneCommand key={command.name} command={command} />
          ))}
        </Section>
      ))}
    </>
  )
}

/** Its form is made when it is opened. */
function OneCommand({ command }: { command: Command }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="folded" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Declared text={command.summary} />
      </summary>
      {isOpen && <CommandForm command={command} />}
    </details>
  )
}
