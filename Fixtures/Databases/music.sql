-- A shop for music as another application might keep it: keys and foreign keys of several kinds, a table for a many-to-many relationship,
-- columns with the declared types of other systems, a view, a calculated column, and values that do not fit their declarations.
CREATE TABLE Artist (ArtistId INTEGER NOT NULL, Name NVARCHAR(120), CONSTRAINT PK_Artist PRIMARY KEY (ArtistId));
CREATE TABLE Album (
  AlbumId INTEGER NOT NULL, Title NVARCHAR(160) NOT NULL, ArtistId INTEGER NOT NULL,
  CONSTRAINT PK_Album PRIMARY KEY (AlbumId), FOREIGN KEY (ArtistId) REFERENCES Artist (ArtistId)
);
CREATE TABLE Track (
  TrackId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(200) NOT NULL, AlbumId INTEGER REFERENCES Album (AlbumId),
  Milliseconds INTEGER NOT NULL, UnitPrice NUMERIC(10, 2) NOT NULL, Added DATETIME,
  Seconds INTEGER AS (Milliseconds / 1000)
);
CREATE TABLE Playlist (PlaylistId INTEGER NOT NULL PRIMARY KEY, Name NVARCHAR(120));
CREATE TABLE PlaylistTrack (
  PlaylistId INTEGER NOT NULL REFERENCES Playlist (PlaylistId), TrackId INTEGER NOT NULL REFERENCES Track (TrackId),
  CONSTRAINT PK_PlaylistTrack PRIMARY KEY (PlaylistId, TrackId)
);
CREATE TABLE Setting (name TEXT PRIMARY KEY, value);
CREATE TABLE Visit (page TEXT, seen INTEGER);
CREATE INDEX AlbumByArtist ON Album (ArtistId);
CREATE VIEW AlbumList AS SELECT AlbumId, Title, Name AS Artist FROM Album JOIN Artist USING (ArtistId);

INSERT INTO Artist VALUES (1, 'Alpha'), (2, 'Beta'), (3, NULL);
INSERT INTO Album VALUES (1, 'First', 1), (2, 'Second', 2), (3, 'Third', 2);
INSERT INTO Track VALUES
  (1, 'One', 1, 343719, 0.99, '2009-01-01 00:00:00'), (2, 'Two', 1, 180000, 1, '2010-05-01 12:00:00'),
  (3, 'Three', 2, 200500, 0.99, NULL), (4, 'Four', NULL, 61000, 1.29, '2011-02-03 04:05:06');
INSERT INTO Playlist VALUES (1, 'Music'), (2, 'Evening');
INSERT INTO PlaylistTrack VALUES (1, 2), (1, 1), (2, 2);
INSERT INTO Setting VALUES ('volume', 7), ('theme', 'dark'), ('key', x'00ff');
INSERT INTO Visit VALUES ('start', 3), ('end', 'never'), (NULL, 2.5);
