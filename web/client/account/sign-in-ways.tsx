import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { dateText } from '../../shared/text.ts'
import { Text } from '../act/text-field.tsx'
import { keepAlso } from '../custody/kept.ts'
import type { Opened } from '../custody/open.ts'
import { forgetPasskey, mayUsePasskeys, sealWithPasskey } from '../custody/passkey.ts'
import { MIN_PASSWORD_CHARACTERS, sealWithPassword } from '../custody/password.ts'
import type { NewCopy } from '../custody/seal.ts'
import { keepOnServer, listOnServer, removeFromServer, type StoredCopy } from '../custody/server.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

/** The locked copies of the key on the server: each lets one sign in on another device. */
export function SignInWays({ fid, username, opened }: PartProps & { opened: Opened }) {
  const { connection, words } = opened
  const found = useQuery({
    queryKey: ['sealed keys', fid],
    queryFn: () => listOnServer(connection, fid),
    gcTime: 0,
  })
  const { isBusy, run, said } = useWork()
  const [password, setPassword] = useState('')
  const add = (make: () => Promise<NewCopy>, text: string) =>
    run(async () => {
      const copy = await make()
      await keepOnServer(connection, fid, copy).catch(async (error) => {
        // What was refused is kept nowhere; after a lost answer it may be.
        if (copy.credential && error instanceof Refusal) await forgetPasskey(copy.credential)
        throw error
      })
      await keepAlso({ address: connection.address, fid }, copy)
      await found.refetch()
      return text
    })
  const remove = ({ id }: StoredCopy) =>
    run(async () => {
      await removeFromServer(connection, fid, id)
      await found.refetch()
      return t('Removed from this server. Browsers that have used it keep their own copy.')
    })
  const hasPassword = found.data?.some(({ kind }) => kind === 'password')
  return (
    <section className="account-part" aria-labelledby="ways">
      <h2 id="ways">{t('Ways to sign in on other devices')}</h2>
      <ul className="held">
        {found.data?.map((copy) => (
          <li key={copy.id}>
            <span>
              {copy.kind === 'password' ? t('Password') : t('Passkey')}
              <span className="muted detail">
                {copy.usedAt === null
                  ? t('Added {date}', { date: dateText(copy.createdAt) })
                  : t('Added {date}, last used {date2}', {
                      date: dateText(copy.createdAt),
                      date2: dateText(copy.usedAt),
                    })}
              </span>
            </span>
            <button
              type="button"
              className="secondary"
              disabled={isBusy}
              onClick={() => remove(copy)}
            >
              {t('Remove')}
            </button>
          </li>
        ))}
      </ul>
      {found.data?.length === 0 && (
        <p className="muted">{t('None: only your words or your wallet.')}</p>
      )}
      {words && mayUsePasskeys() && (
        <button
          type="button"
          className="secondary"
          disabled={isBusy}
          onClick={() => add(() => sealWithPasskey(words, username), t('The passkey was added.'))}
        >
          {t('Add a passkey')}
        </button>
      )}
      {words && (
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault()
            add(() => sealWithPassword(words, password), t('The password was set.')).then(() =>
              setPassword(''),
            )
          }}
        >
          <Text
            label={t('New password')}
            help={
              hasPassword
                ? t(
                    'At least {minPasswordCharacters} characters. It takes the place of the old one.',
                    { minPasswordCharacters: MIN_PASSWORD_CHARACTERS },
                  )
                : t('At least {minPasswordCharacters} characters.', {
                    minPasswordCharacters: MIN_PASSWORD_CHARACTERS,
                  })
            }
            value={password}
            maxLength={256}
            type="password"
            autoComplete="new-password"
            onChange={setPassword}
          />
          <button
            type="submit"
            className="secondary"
            disabled={isBusy || [...password].length < MIN_PASSWORD_CHARACTERS}
          >
            {t('Set the password')}
          </button>
        </form>
      )}
      {said}
    </section>
  )
}
