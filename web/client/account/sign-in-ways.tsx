import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
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
      return 'Removed from this server. Browsers that have used it keep their own copy.'
    })
  const hasPassword = found.data?.some(({ kind }) => kind === 'password')
  return (
    <section className="account-part" aria-labelledby="ways">
      <h2 id="ways">Ways to sign in on other devices</h2>
      <ul className="held">
        {found.data?.map((copy) => (
          <li key={copy.id}>
            <span>
              {copy.kind === 'password' ? 'Password' : 'Passkey'}
              <span className="muted detail">
                {copy.usedAt === null
                  ? `Added ${dateText(copy.createdAt)}`
                  : `Added ${dateText(copy.createdAt)}, last used ${dateText(copy.usedAt)}`}
              </span>
            </span>
            <button
              type="button"
              className="secondary"
              disabled={isBusy}
              onClick={() => remove(copy)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {found.data?.length === 0 && <p className="muted">None: only your words or your wallet.</p>}
      {words && mayUsePasskeys() && (
        <button
          type="button"
          className="secondary"
          disabled={isBusy}
          onClick={() => add(() => sealWithPasskey(words, username), 'The passkey was added.')}
        >
          Add a passkey
        </button>
      )}
      {words && (
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault()
            add(() => sealWithPassword(words, password), 'The password was set.').then(() =>
              setPassword(''),
            )
          }}
        >
          <Text
            label="New password"
            help={`At least ${MIN_PASSWORD_CHARACTERS} characters.${hasPassword ? ' It takes the place of the old one.' : ''}`}
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
            Set the password
          </button>
        </form>
      )}
      {said}
    </section>
  )
}
