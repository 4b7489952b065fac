import { Link, useParams } from 'react-router'
import { CopyButton } from '../../shared/copy-button.tsx'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { queryText } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName, dateText } from '../../shared/text.ts'
import { useApp } from '../api.ts'
import { NameChanges } from '../parts/name-changes.tsx'
import { PersonRow } from '../parts/person.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import type { NameScreen } from '../types.ts'

export function Component() {
  const { name = '' } = useParams()
  const { data, error, refetch } = useApp<NameScreen>('/screen/name', { name })
  const shown = cleanName(name)
  return (
    <>
      <Title>{t('The name {shown}', { shown })}</Title>
      <header className="screen-head">
        <h1>
          <bdi>{shown}</bdi>
        </h1>
        <Link to="/names">{t('Look up another name')}</Link>
      </header>
      {error && <Failed error={error} retry={refetch} />}
      {!error &&
        (data ? <State screen={data} /> : <Loading what={t('Loading the name')} rows={2} />)}
    </>
  )
}

const STATES: Record<NameScreen['state'], { good: boolean; text: string; more: string }> = {
  free: { good: true, text: t('This name is free.'), more: '' },
  taken: { good: false, text: t('This name is taken.'), more: '' },
  reserved: {
    good: false,
    text: t('This name is reserved.'),
    more: t('The operator of this server assigns it. Names that look like it are reserved too.'),
  },
  impossible: {
    good: false,
    text: t('This cannot be a name here.'),
    more: t(
      'Names have 1 to 16 of the letters a to z, digits and hyphens, and do not begin with a hyphen.',
    ),
  },
}

function State({ screen }: { screen: NameScreen }) {
  const { good, text, more } = STATES[screen.state]
  return (
    <>
      <div className={good ? 'notice good' : 'notice plain'} data-ready>
        <Icon name={good ? 'check' : 'tag'} />
        <div>
          <p>
            <strong>{text}</strong>
          </p>
          {more && <p>{more}</p>}
          {screen.state === 'free' && <Claim name={screen.name} />}
          <Expiries screen={screen} />
        </div>
      </div>
      {screen.holder && (
        <section aria-labelledby="holder">
          <h2 id="holder" className="part-head">
            {t('Held by')}
          </h2>
          <PersonRow user={screen.holder} />
        </section>
      )}
      {screen.history.length > 0 && (
        <section aria-labelledby="history">
          <h2 id="history" className="part-head">
            {t('History')}
          </h2>
          <NameChanges changes={screen.history} users={screen.users} />
        </section>
      )}
    </>
  )
}

/** How to get it; the address of this page can be sent to somebody who should. */
function Claim({ name }: { name: string }) {
  const command = `rookery name register ${name}`
  return (
    <>
      <p>
        {rich('Its first claim wins. With an account, {command} registers it {copy}.', {
          command: <code>{command}</code>,
          copy: <CopyButton value={command} text={t('Copy the command')} />,
        })}{' '}
        <CopyButton value={location.href} text={t('Copy the link to this page')} isShown />
      </p>
      <p>
        <Link to={`/join${queryText({ name })}`} className="primary">
          {t('Claim it')}
        </Link>
      </p>
    </>
  )
}

const textOf = (at: string) => dateText(Date.parse(at) / 1_000)

/** What ends when. */
function Expiries({
  screen: { movable_at, storage_expires_at, storage, state },
}: {
  screen: NameScreen
}) {
  if (state !== 'taken') return null
  return (
    <ul className="expiries">
      <li>
        {t('Names do not expire: they stay with the account until it releases or transfers them.')}
      </li>
      <li>
        {movable_at
          ? t('It changed lately, and can be released or transferred from {text}.', {
              text: textOf(movable_at),
            })
          : t('Its holder can release or transfer it at any time.')}
      </li>
      {storage?.state !== 'endless' && (
        <li>
          {storage_expires_at
            ? t('The storage of its holder is rented until {text}.', {
                text: textOf(storage_expires_at),
              })
            : t('Its holder rents no storage, so that the profile may not show it.')}
        </li>
      )}
    </ul>
  )
}
