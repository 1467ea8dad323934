import { Component, type ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { ErrorBox } from "../ui/error-box.tsx";

/**
 * Shows the error of a page in its place, so that the frame stays. React has error boundaries as
 * classes only.
 */
export class PageBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // The code of a page may be gone after an update of the service.
    const isOld = error instanceof TypeError && /import/i.test(error.message);
    return (
      <div className="p-5">
        <ErrorBox
          error={isOld ? new Error(texts.errors.updated) : error}
          onRetry={() => (isOld ? location.reload() : this.setState({ error: undefined }))}
        />
      </div>
    );
  }
}
