import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { READABLE } from '../../../src/features/languages/readable.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { findKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { tokenOf } from '../moderation/calls.ts'
import { keepReads } from '../session/language.ts'
import { useSession } from '../session/session.tsx'
import type { OwnLanguage } from '../types.ts'
import { languageName } from './names.ts'
import { chosenReads } from './reads.ts'

const ALL = READABLE.map((code) => ({ code, name: languageName(code) })).sort((a, b) =>
  a.name.localeCompare(b.name, locale),
)

/** What the account has then. None: all. */
async function call(fid: number, languages?: readonly string[]): Promise<readonly string[]> {
  const key = await findKey(fid)
  if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
  const token = await tokenOf(key)
  const { reads } = languages
    ? await callApp<OwnLanguage>('/language/reading', { method: 'PUT', body: { languages }, token })
    : await callApp<OwnLanguage>('/language/own', { token })
  keepReads(fid, reads)
  return reads
}

/** Chooses the languages in which the account reads posts. */
export function ReadingLanguages() {
  const { fid } = useSession()
  const queries = useQueryClient()
  const queryKey = ['own', 'reading languages', fid]
  // A choice says the whole list: without what was chosen on another device it would take that away.
  const { data, isPending } = useQuery({ queryKey, queryFn: () => call(fid!) })
  const chosen = data ?? chosenReads()
  const setChosen = (languages: readonly string[]) => queries.setQueryData(queryKey, languages)
  const [fault, setFault] = useState<string>()
  const choose = async (next: readonly string[]) => {
    const before = chosen
    setFault(undefined)
    setChosen(next)
    try {
      await call(fid!, next)
    } catch (error) {
      setChosen(before)
      setFault((error as Error).message)
    }
  }
  return (
    <div className="reading-languages">
      {chosen.map((code) => (
        <button
          key={code}
          type="button"
          className="secondary"
          disabled={isPending}
          aria-label={t('Remove {language}', { language: languageName(code) })}
          onClick={() => void choose(chosen.filter((one) => one !== code))}
        >
          {languageName(code)}
          <Icon name="cross" />
        </button>
      ))}
      <select
        aria-label={t('Add a language')}
        value=""
        disabled={isPending}
        onChange={({ target }) => void choose([...chosen, target.value])}
      >
        <option value="" disabled>
          {t('Add a language …')}
        </option>
        {ALL.filter(({ code }) => !chosen.includes(code)).map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      {fault !== undefined && (
        <p className="fault" role="alert" dir="auto">
          {fault}
        </p>
      )}
    </div>
  )
}
