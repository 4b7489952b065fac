import { Link, useLocation } from 'react-router'
import { face } from '../../shared/face.ts'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { langOf, type Server, useServer } from '../parts/server.ts'
import { ServerText } from '../parts/server-text.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'

const HEADINGS = { about: t('About'), rules: t('Rules'), privacy: t('Privacy') } as const

/** `/about`, `/rules`, `/privacy` */
export function Component() {
  const page = useLocation().pathname.replaceAll('/', '') as keyof typeof HEADINGS
  const heading = HEADINGS[page]
  const { data, error, refetch } = useServer()
  return (
    <div className="form-screen">
      <Title>{heading}</Title>
      <h1>{page === 'about' ? rich('About {name}', { name: <bdi>{face.name}</bdi> }) : heading}</h1>
      {error ? (
        <Failed error={error} retry={refetch} />
      ) : !data ? (
        <Loading what={t('Loading')} rows={1} />
      ) : page === 'about' ? (
        <About server={data} />
      ) : data[page] === '' ? (
        <p>{t('The operator has not written this yet.')}</p>
      ) : (
        <ServerText server={data} field={page} />
      )}
    </div>
  )
}

function About({ server }: { server: Server }) {
  const { description, contact, rules, privacy } = server
  const url = webUrl(contact)
  return (
    <>
      {description && (
        <p lang={langOf(server, 'description')} dir="auto">
          {description}
        </p>
      )}
      {contact && (
        <p>
          {t('Contact:')}{' '}
          {url ? (
            <a href={url.href} rel="noopener noreferrer">
              {contact}
            </a>
          ) : (
            <bdi>{contact}</bdi>
          )}
        </p>
      )}
      <p>
        {t(
          'Everything that is written here is public, and everybody can copy it. Each message is signed by its author, and other servers of the network may have it too.',
        )}
      </p>
      <h2>{t('Rules')}</h2>
      {rules ? (
        <ServerText server={server} field="rules" />
      ) : (
        <p>{t('The operator has not written rules yet.')}</p>
      )}
      {privacy && (
        <p>
          <Link to="/privacy">{t('Privacy')}</Link>
        </p>
      )}
      <p>
        <Link to="/help">{t('Help')}</Link> · <Link to="/names">{t('Names')}</Link> ·{' '}
        <Link to="/events">{t('Events')}</Link>
      </p>
      <p className="muted">
        {rich(
          'This server runs Rookery and speaks the protocol of Farcaster. Programs find <link>every interface</link> and <link2>the state of the hub</link2>.',
          {
            link: (inner) => <a href="/docs">{inner}</a>,
            link2: (inner) => <a href="/hub/v1/info">{inner}</a>,
          },
        )}
      </p>
    </>
  )
}
