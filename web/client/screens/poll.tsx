import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { SnapCard } from '../snaps/card.tsx'
import { openPage } from '../snaps/page.ts'

/** One poll by itself, for who follows its link outside of a cast. */
export function Component() {
  const { id = '' } = useParams()
  const url = `${location.origin}/polls/${id}`
  const { data, error, refetch } = useQuery({
    queryKey: ['poll', id],
    queryFn: async () => (await openPage(url)) ?? null,
    retry: false,
  })
  if (data === null || (error instanceof Refusal && error.status === 404)) {
    return <Shown isScreen icon="question" heading={t('There is no such poll')} />
  }
  if (error) return <Failed error={error} retry={refetch} isScreen />
  if (!data) return <Loading what={t('Loading the poll')} rows={1} isScreen />
  return (
    <div className="form-screen">
      <Title>{t('Poll')}</Title>
      <h1>{t('Poll')}</h1>
      <SnapCard url={url} snap={data} />
    </div>
  )
}
