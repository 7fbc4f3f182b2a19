//! csharp
