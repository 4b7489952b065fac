import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { dateText } from '../../shared/text.ts'
import { availabilityOf, registerName, releaseName } from '../act/account-calls.ts'
import { findKey } from '../act/key-store.ts'
import { MAX_NAME_LENGTH, useNameCheck } from '../act/name-check.ts'
import { networkNow } from '../act/network.ts'
import { Text } from '../act/text-field.tsx'
import { setProfile } from '../act/writes.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

type Held = {
  readonly changeableAt?: number
  readonly undoUntil?: number
  /** How long a name is locked after a change. */
  readonly changeSeconds: number
}
const DAY_SECONDS = 86_400

/** Changing the name: the old one is released, and is free for others after a time. */
export function NameChange({ fid, username, opened }: PartProps) {
  const hasName = !username.startsWith('!')
  const held = useQuery({
    queryKey: ['held name', username],
    queryFn: () => fetchJson<Held>('/registry/availability', { query: { name: username } }),
    enabled: hasName,
  })
  // The clock of this device may be wrong.
  const now = useQuery({ queryKey: ['network time'], queryFn: networkNow, gcTime: 0 })
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const check = useNameCheck(name)
  const { isBusy, run, said } = useWork()
  const changeableAt = held.data?.changeableAt ?? 0
  const days = held.data && Math.round(held.data.changeSeconds / DAY_SECONDS)
  const isFirstDay = (held.data?.undoUntil ?? 0) > (now.data ?? Infinity)
  const mustWait = hasName && !isFirstDay && changeableAt > (now.data ?? 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run(async () => {
      const { connection } = opened!
      // Somebody may have taken it since it was shown as free.
      const { status } = await availabilityOf(name)
      if (status !== 'free')
        throw new Error(t('{name} is not free any more. Choose another one.', { name }))
      if (hasName) await releaseName(connection, fid, username)
      await registerName(connection, fid, name).catch(async (error: Error) => {
        if (!hasName) throw error
        await queries.invalidateQueries()
        throw new Error(
          t(
            'You are not @{username} any more, and @{name} was not taken. Try again, or choose another name. {message}',
            { username, name, message: error.message },
          ),
        )
      })
      const key = await findKey(fid)
      if (key) await setProfile(key, 'username', name)
      await queries.invalidateQueries()
      setName('')
      return t('You are @{name} now.', { name })
    })
  }
  return (
    <section className="account-part" aria-labelledby="name">
      <h2 id="name">{t('Name')}</h2>
      <p className="muted">
        {days === undefined
          ? t('A name can be changed, at first up to three times within a day.')
          : t(
              '{days, plural, one {A name can be changed once in # day, and up to three times on its first day. The old one is then free for others after # day.} other {A name can be changed once in # days, and up to three times on its first day. The old one is then free for others after # days.}}',
              { days },
            )}
        {mustWait && ` ${t('You can change it from {date}.', { date: dateText(changeableAt) })}`}
      </p>
      {opened && !mustWait && (
        <form className="fields" onSubmit={submit}>
          <Text
            label={t('New name')}
            help={check.text}
            isBad={!check.isGood}
            value={name}
            maxLength={MAX_NAME_LENGTH}
            autoComplete="username"
            onChange={(value) => setName(value.toLowerCase())}
          />
          <button
            type="submit"
            className="secondary"
            disabled={isBusy || name === '' || !check.isGood}
          >
            {t('Change the name')}
          </button>
        </form>
      )}
      {said}
    </section>
  )
}
