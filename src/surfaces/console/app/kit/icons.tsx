/** Decorative line icons on a 16-unit grid, always next to a label. */
function icon(path: string, size = 16) {
  return function Icon() {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        <path d={path} />
      </svg>
    );
  };
}

export const ServersIcon = icon(
  'M3 2.5h10a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-10a1 1 0 0 1-1-1v-2.5a1 1 0 0 1 1-1zM3 9h10a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-10a1 1 0 0 1-1-1v-2.5a1 1 0 0 1 1-1zM4.8 4.8h.1M4.8 11.3h.1',
);
export const RegistryIcon = icon(
  'M2.500 2.500h3v11h-3zM6.800 2.500h3v11h-3zM11.200 3.400l2.300-.600 2 10.300-2.300.500z',
);
export const WebhooksIcon = icon(
  'M8 2v5M8 7 4 11.500M8 7l4 4.500M6.7 2.8a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0zM2 12.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0zM11 12.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z',
);
export const ChatIcon = icon('M2 3h12v8H7.500L4.500 13.500V11H2zM5 6h6M5 8.300h4');
export const SuitesIcon = icon(
  'M3.5 2h9a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-10a1 1 0 0 1 1-1zM5 5.5l1 1 1.5-2M9.5 5.5h2M5 10l1 1 1.5-2M9.5 10h2',
);
export const RunsIcon = icon(
  'M2 3h3v3H2zM6.5 3h3v3h-3zM11 3h3v3h-3zM2 10h3v3H2zM6.5 10h3v3h-3zM11 10h3v3h-3z',
);
export const SwarmsIcon = icon(
  'M6.2 3.8a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0zM2 11a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0zM10.4 11a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0zM7 5.6 4.8 9.300M9 5.600l2.200 3.700M5.800 11h4.400',
);
export const StudiesIcon = icon(
  'M3.2 5a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0zM1.500 13c.3-2.700 1.700-4.200 4-4.200 1 0 1.900.300 2.500.900M9.500 8.500h5v4H12l-1.500 1.500v-1.500h-1z',
);
export const SearchIcon = icon('M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0zM10.5 10.5l3.5 3.5');
export const CopyIcon = icon(
  'M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1zM10.5 5.5v-3h-8v8h3',
  14,
);
export const DoneIcon = icon('M3 8.5l3.2 3L13 4.5', 14);
export const DownIcon = icon('M4 6l4 4 4-4', 14);
export const MenuIcon = icon('M2 4h12M2 8h12M2 12h12');
export const CloseIcon = icon('M4 4l8 8M12 4l-8 8');
export const CodeIcon = icon('M5.5 4l-4 4 4 4M10.5 4l4 4-4 4');
export const SunIcon = icon(
  'M5 8a3 3 0 1 0 6 0a3 3 0 1 0-6 0zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
);
export const MoonIcon = icon('M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z');
export const SystemIcon = icon(
  'M2.5 2.5h11a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-6.5a1 1 0 0 1 1-1zM5.5 14h5M8 11v3',
);
export const PreviousIcon = icon('M10 3l-5 5 5 5');
export const NextIcon = icon('M6 3l5 5-5 5');
export const ModelIcon = icon('M8 1.5 9.6 6.4 14.5 8l-4.9 1.6L8 14.5 6.4 9.6 1.5 8l4.9-1.6z', 14);
export const ToolIcon = icon(
  'M9.5 2.2a3.7 3.7 0 0 0-3.9 5.2L2 11l3 3 3.6-3.6a3.7 3.7 0 0 0 5.2-3.9L11.5 8.8 9 7 7.2 4.5z',
  14,
);
export const OverviewIcon = icon(
  'M2.500 2.500h4.500v6H2.500zM9 2.500h4.500v3H9zM9 7.500h4.500v6H9zM2.500 10.500h4.500v3H2.500z',
);
export const EnvironmentsIcon = icon('M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3');
export const ClientsIcon = icon(
  'M3 3h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-10a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1zM2 6h12M4 4.500h.1',
);
export const SecretsIcon = icon('M2 8a3 3 0 1 0 6 0a3 3 0 1 0-6 0zM8 8h6v2.500M11.500 8v2');
export const SkillsIcon = icon('M3 2.500h7l3 3v8H3zM5.500 8h5M5.500 10.500h5');
export const PluginsIcon = icon('M5.500 2v3M10.500 2v3M3.500 5h9v3a4.500 4.500 0 0 1-9 0zM8 12.500V15');
export const GroupsIcon = icon(
  'M3 2h3a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1zM10 2h3a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1zM6.5 9h3a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1z',
);
export const PeopleIcon = icon(
  'M3.5 5.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0zM1.5 13.5c.3-2.600 2-4 4.500-4s4.200 1.400 4.500 4M11 3.300a2.500 2.500 0 0 1 0 4.400M12 9.800c1.500.500 2.300 1.700 2.500 3.700',
);
export const KeyIcon = icon('M2 11a3 3 0 1 0 6 0a3 3 0 1 0-6 0zM7.200 8.800l6.300-6.300M10.500 5.500l2 2');
export const UsageIcon = icon('M2 13.500h12M4 13.500V9M8 13.500v-11M12 13.500V6');
export const AuditIcon = icon('M3.500 2h9v12h-9zM6 5.500h4M6 8h4M6 10.500h2.500');
export const SettingsIcon = icon(
  'M2 4.500h7M12 4.500h2M2 11.500h2M7 11.500h7M9 4.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0zM4 11.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z',
);
export const InstallationIcon = icon(
  'M5 4h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1zM6.500 1.500V4M9.500 1.500V4M6.500 12v2.500M9.500 12v2.500M1.500 6.500H4M1.500 9.500H4M12 6.500h2.500M12 9.500h2.500',
);
export const ProjectsIcon = icon('M1.500 4.500v8.500h13V5.500H8L6.500 3.500h-5z');
