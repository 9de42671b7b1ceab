import ResultsDomain

/// A row is the domain's in this module; GRDB's is `GRDB.Row`.
typealias Row = ResultsDomain.Row
