import { useQuery } from "@tanstack/react-query";
import type { Findings } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { FindingList } from "../../ui/finding-list.tsx";
import { Loading } from "../../ui/loading.tsx";

/** Shows the doctor's findings about the service, as far as the key may see them. */
export function DoctorPart() {
  const { client } = useConnection();
  const doctor = useQuery({
    queryKey: ["doctor"],
    queryFn: () => client.request<Findings>("GET", "/v1/doctor"),
  });
  if (doctor.isPending) return <Loading what={texts.labels.theFindings} />;
  if (doctor.error) return <ErrorBox error={doctor.error} onRetry={() => void doctor.refetch()} />;
  return <FindingList findings={doctor.data.findings} />;
}
