import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'

export function NotFound() {
  return (
    <>
      <Title>{t('Not found')}</Title>
      <Shown isScreen icon="question" heading={t('There is no page at this address')}>
        <p>{t('The link may be old, or part of it is missing.')}</p>
        <p>
          <Link to="/">{t('Go to the newest {posts}')}</Link>
        </p>
      </Shown>
    </>
  )
}
