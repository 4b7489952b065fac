import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { removeKey } from '../../apps/remove.ts'
import { NEWEST, useLastUse } from '../../apps/use-last-use.ts'
import { getSigners } from '../../shared/api.ts'
import { hexOf } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { dateText, nameOf, shortHex } from '../../shared/text.ts'
import { findKey, forgetKey } from '../act/key-store.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

/** The keys that write for the account: of browsers and of apps. */
export function Devices({ fid, opened }: PartProps) {
  const found = useQuery({ queryKey: ['signers', fid], queryFn: () => getSigners({ fid }) })
  const lastUse = useLastUse(fid)
  const here = useKeyOfHere(fid)
  const { isBusy, run, said } = useWork()
  const remove = (key: string) =>
    run(async () => {
      await removeKey({ fid, key }, opened!.connection, () => {})
      if (key === here) await forgetKey(fid)
      await found.refetch()
      return t('Removed. It cannot write for you any more.')
    })
  return (
    <section className="account-part" aria-labelledby="devices">
      <h2 id="devices">{t('Devices and apps')}</h2>
      <p className="muted">
        {t(
          'Each has a key of its own. Who has it can write in your name and read what only you see, such as your bookmarks. Your words, name, e-mail address and recovery stay out of its reach.',
        )}
      </p>
      <ul className="held">
        {found.data?.signers.map(({ key, app, addedAt }) => (
          <li key={key}>
            <span>
              {key === here
                ? t('This browser')
                : !app
                  ? t('An app that has not said its name')
                  : app.fid !== fid
                    ? nameOf(app)
                    : t('A browser of yours')}
              <span className="muted detail">
                {addedText(addedAt, lastUse(key))} · <code>{shortHex(key)}</code>
              </span>
            </span>
            {opened && (
              <button
                type="button"
                className="secondary"
                disabled={isBusy}
                onClick={() => remove(key)}
              >
                {rich('Remove {key}', { key: <span className="unseen">{shortHex(key)}</span> })}
              </button>
            )}
          </li>
        ))}
      </ul>
      {found.error && <p className="muted">{found.error.message}</p>}
      {said}
    </section>
  )
}

const addedText = (addedAt: number, lastUse: string | null | undefined): string => {
  const added = dateText(addedAt)
  if (lastUse === undefined) return t('Added {added}', { added })
  return lastUse === null
    ? t(
        '{count, plural, one {Added {added}, not used for the newest {post} and like} other {Added {added}, not used for the newest # {posts} and likes}}',
        { added, count: NEWEST },
      )
    : t('Added {added}, last used {lastUse}', { added, lastUse })
}

/** The key of this browser, in hex. */
function useKeyOfHere(fid: number): string | undefined {
  const [key, setKey] = useState<string>()
  useEffect(() => {
    findKey(fid).then((found) => setKey(found && hexOf(found.publicKey)))
  }, [fid])
  return key
}
